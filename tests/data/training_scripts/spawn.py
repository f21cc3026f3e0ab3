import os
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn as nn


def worker(rank, world, epochs):
    os.environ["MASTER_ADDR"] = "localhost"
    dist.init_process_group("gloo", rank=rank, world_size=world)
    net = nn.parallel.DistributedDataParallel(nn.Linear(8, 1))
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        loss = net(torch.rand(4, 8)).sum()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if rank == 0:
            print(loss.item())
    if rank == 0:
        torch.save(net.state_dict(), "x.pt")
    dist.destroy_process_group()


def main():
    world = torch.cuda.device_count()
    if world > 1:
        mp.spawn(worker, args=(world, 3), nprocs=world)
    else:
        worker(0, 1, 3)


if __name__ == "__main__":
    main()

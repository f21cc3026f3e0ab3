import argparse
import random
import warnings
import torch
import torch.nn as nn
import torch.multiprocessing as mp
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--gpu", default=None, type=int)
parser.add_argument("--seed", default=None, type=int)
parser.add_argument("--multiprocessing-distributed", action="store_true")
parser.add_argument("--world-size", default=-1, type=int)
parser.add_argument("--epochs", default=2, type=int)
parser.add_argument("-e", "--evaluate", action="store_true")
parser.add_argument("--dummy", action="store_true")
best_acc1 = 0


def main():
    args = parser.parse_args()
    if args.seed is not None:
        random.seed(args.seed)
        torch.manual_seed(args.seed)
    if args.gpu is not None:
        warnings.warn("gpu")
    args.distributed = args.world_size > 1 or args.multiprocessing_distributed
    ngpus = torch.cuda.device_count() if torch.cuda.is_available() else 1
    if args.multiprocessing_distributed:
        args.world_size = ngpus * args.world_size
        mp.spawn(main_worker, nprocs=ngpus, args=(ngpus, args))
    else:
        main_worker(args.gpu, ngpus, args)


def main_worker(gpu, ngpus, args):
    global best_acc1
    args.gpu = gpu
    if args.distributed:
        dist.init_process_group("nccl")
    model = nn.Linear(8, 4)
    if not torch.cuda.is_available():
        print("cpu")
    elif args.distributed:
        model = nn.parallel.DistributedDataParallel(model)
    elif args.gpu is not None:
        torch.cuda.set_device(args.gpu)
        model = model.cuda(args.gpu)
    else:
        model = nn.DataParallel(model).cuda()
    criterion = nn.CrossEntropyLoss()
    opt = torch.optim.SGD(model.parameters(), 0.1)
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.rand(32, 8), torch.randint(0, 4, (32,))), 8)
    if args.evaluate:
        validate(loader, model, criterion, args)
        return
    for epoch in range(args.epochs):
        train(loader, model, criterion, opt, epoch, args)
        acc1 = validate(loader, model, criterion, args)
        is_best = acc1 > best_acc1
        best_acc1 = max(acc1, best_acc1)
        if is_best:
            torch.save(model.state_dict(), "b.pt")


def train(loader, model, criterion, opt, epoch, args):
    for i, (x, y) in enumerate(loader):
        if args.gpu is not None:
            x = x.cuda(args.gpu)
        loss = criterion(model(x), y)
        opt.zero_grad()
        loss.backward()
        opt.step()


def validate(loader, model, criterion, args):
    right = 0
    with torch.no_grad():
        for x, y in loader:
            right += (model(x).argmax(1) == y).float().sum().item()
    return right


if __name__ == "__main__":
    main()

import torch
import torch.nn as nn

net = nn.Linear(8, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.01)
best, bad, step = float("inf"), 0, 0
try:
    while True:
        x = torch.rand(16, 8)
        loss = net(x).pow(2).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        step += 1
        if loss.item() < best:
            best, bad = loss.item(), 0
        else:
            bad += 1
        if bad > 10:
            break
        if step % 100 == 0:
            print(step)
        if step > 100000:
            break
except KeyboardInterrupt:
    print("interrupted")
    torch.save(net.state_dict(), "i.pt")
finally:
    print("done")
while not torch.rand(1).item() > 0.5:
    print(net(torch.rand(1, 8)))

import sys
import torch
import torch.nn as nn

net = nn.Linear(8, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)


def timed(function):
    def inner(*args, **kwargs):
        if kwargs.pop("quiet", False):
            return function(*args)
        return function(*args, **kwargs)
    return inner


@timed
def train(steps):
    for _ in range(steps):
        loss = net(torch.rand(4, 8)).mean()
        loss.backward()
        opt.step()


def sample(steps):
    for _ in range(steps):
        net(torch.rand(1, 8))


if len(sys.argv) < 2:
    print("usage: train|sample")
    sys.exit(1)
if sys.argv[1] == "train":
    train(3)
elif sys.argv[1] == "sample":
    sample(3)
else:
    globals()[sys.argv[1]](1)
if "--export" in sys.argv:
    torch.save(net, "x")

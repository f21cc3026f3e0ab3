"""Training steps with data that ask for gradients, against data that do not."""
import torch
from torch import nn

CASES = {"MLP 784-256-10, batch 64": ("mlp",), "convolutions 3-32-32, batch 16 of 32 × 32": ("conv",)}


def setup(kind):
    if kind == "mlp":
        net, x = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10)), torch.rand(64, 784)
    else:
        net, x = nn.Sequential(nn.Conv2d(3, 32, 3), nn.ReLU(), nn.Conv2d(32, 32, 3)), torch.rand(16, 3, 32, 32)
    return net, torch.optim.SGD(net.parameters(), lr=0.001), x


def steps(net, optimizer, x):
    for step in range(3):
        optimizer.zero_grad()
        net(x).mean().backward()
        optimizer.step()


def before(net, optimizer, x):
    x.requires_grad_()
    steps(net, optimizer, x)


def after(net, optimizer, x):
    steps(net, optimizer, x)

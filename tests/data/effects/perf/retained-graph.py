"""`loss.backward(retain_graph=True)` in each step, against `loss.backward()`."""
import torch
from torch import nn

CASES = {"8 convolutions of 32, batch 16 of 64 × 64, 2 steps": ("conv", 2), "linear layer 64-10, batch 32, 10 steps": ("linear", 10)}
MEASURE = "memory"


def setup(kind, steps):
    if kind == "linear":
        net, x = nn.Linear(64, 10), torch.randn(32, 64)
    else:
        parts = [nn.Conv2d(3, 32, 3, padding=1)]
        for i in range(7):
            parts += [nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1)]
        net, x = nn.Sequential(*parts), torch.randn(16, 3, 64, 64)
    return net, torch.optim.SGD(net.parameters(), lr=0.001), x, steps


def before(net, optimizer, x, steps):
    for step in range(steps):
        loss = net(x).mean()
        optimizer.zero_grad()
        loss.backward(retain_graph=True)
        optimizer.step()


def after(net, optimizer, x, steps):
    for step in range(steps):
        loss = net(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

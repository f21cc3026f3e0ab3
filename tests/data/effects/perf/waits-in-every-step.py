"""`loss.item()` in each of 100 steps, against a sum on the accelerator that is read once."""
import torch
from torch import nn

CASES = {"100 steps": (100,)}
MEASURE = "waits"


def setup(steps):
    net = nn.Linear(128, 10)
    return steps, net, torch.optim.SGD(net.parameters(), lr=0.001), torch.randn(64, 128)


def before(steps, net, optimizer, x):
    total = 0.0
    for i in range(steps):
        loss = net(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / steps


def after(steps, net, optimizer, x):
    total = 0.0
    for i in range(steps):
        loss = net(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.detach()
    return total.item() / steps

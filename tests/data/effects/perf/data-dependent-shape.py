"""A loss of the elements that a mask chooses, against `torch.where`: 100 steps."""
import torch
from torch import nn

CASES = {"100 steps": (100,)}
MEASURE = "waits"


def setup(steps):
    net = nn.Linear(64, 64)
    return steps, net, torch.optim.SGD(net.parameters(), lr=0.001), torch.randn(32, 64)


def before(steps, net, optimizer, x):
    for i in range(steps):
        h = net(x)
        loss = h[h > 0].sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def after(steps, net, optimizer, x):
    for i in range(steps):
        h = net(x)
        loss = torch.where(h > 0, h, 0).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

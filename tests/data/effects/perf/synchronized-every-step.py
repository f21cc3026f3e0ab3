"""`torch.cuda.synchronize()` in each of 100 steps, against none."""
import torch
from torch import nn

CASES = {"100 steps": (100,)}
MEASURE = "waits"


def setup(steps):
    return steps, nn.Linear(64, 64), torch.randn(32, 64)


def before(steps, net, x):
    for i in range(steps):
        net(x).sum().backward()
        torch.cuda.synchronize()


def after(steps, net, x):
    for i in range(steps):
        net(x).sum().backward()

"""A layer in 64 bits, against 32."""
import torch
from torch import nn

CASES = {"linear layer 512-512, batch 64": (512, 64)}


def setup(width, batch):
    net = nn.Linear(width, width)
    x = torch.rand(batch, width, dtype=torch.float64)
    return nn.Linear(width, width).double(), x, net, x.float()


@torch.no_grad()
def before(double, x, net, y):
    double(x)


@torch.no_grad()
def after(double, x, net, y):
    net(y)

"""The norm of each gradient read by itself, against `get_total_norm`, for a step."""
import torch
from torch import nn

CASES = {"MLP of 20 layers": (20, 64)}
MEASURE = ["waits", "time"]


def setup(layers, width):
    net = nn.Sequential(*[nn.Linear(width, width) for _ in range(layers)])
    net(torch.randn(8, width)).mean().backward()
    return net


def before(net):
    total = 0.0
    for p in net.parameters():
        total += p.grad.norm(2).item() ** 2
    return total ** 0.5


def after(net):
    return nn.utils.get_total_norm([p.grad for p in net.parameters()]).item()

"""A moving average parameter by parameter, against `torch._foreach_lerp_`."""
import torch
from torch import nn

CASES = {"40 layers of 64": (40, 64), "6 layers of 1,024": (6, 1024), "2 layers of 8": (2, 8)}


def setup(layers, width):
    return tuple(nn.Sequential(*[nn.Linear(width, width) for _ in range(layers)]) for _ in range(2))


@torch.no_grad()
def before(net, average):
    for p, q in zip(net.parameters(), average.parameters()):
        q.data.mul_(0.99).add_(p.data, alpha=0.01)


@torch.no_grad()
def after(net, average):
    torch._foreach_lerp_(list(average.parameters()), list(net.parameters()), 0.01)

"""An evaluation with gradients on, against `torch.no_grad()`. What is saved is memory: buffers that are free early go back to the system and are asked for again, which takes time on a CPU."""
import torch
from torch import nn

CASES = {"8 convolutions of 32, batch 16 of 64 × 64": ("conv",), "MLP 128-256-256-10, batch 8": ("mlp",)}
MEASURE = ["time", "memory"]


def setup(kind):
    if kind == "mlp":
        net = nn.Sequential(nn.Linear(128, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
        return net.eval(), torch.randn(8, 128)
    parts = [nn.Conv2d(3, 32, 3, padding=1)]
    for i in range(7):
        parts += [nn.ReLU(), nn.Conv2d(32, 32, 3, padding=1)]
    return nn.Sequential(*parts).eval(), torch.randn(16, 3, 64, 64)


def before(net, x):
    return net(x).sum().item()


def after(net, x):
    with torch.no_grad():
        return net(x).sum().item()

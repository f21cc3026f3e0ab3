"""A layer with weights that `forward` makes, against one of the constructor."""
import torch
from torch import nn

CASES = {"linear layer 256-256, batch 32": (256, 32)}


class Anew(nn.Module):
    def forward(self, x):
        return nn.Linear(x.size(1), x.size(1))(x)


class Kept(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x):
        return self.layer(x)


def setup(width, batch):
    return Anew(), Kept(width), torch.randn(batch, width)


def before(anew, kept, x):
    anew(x)


def after(anew, kept, x):
    kept(x)

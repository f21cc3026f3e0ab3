"""A layer for each row, against the batch."""
import torch
from torch import nn

CASES = {"linear layer 64-10, 256 rows": (64, 10, 256), "linear layer 1,024-1,024, 256 rows": (1024, 1024, 256), "linear layer 64-10, 8 rows": (64, 10, 8)}


def setup(inputs, outputs, rows):
    return nn.Linear(inputs, outputs), torch.randn(rows, inputs)


@torch.no_grad()
def before(layer, batch):
    outputs = []
    for row in batch:
        outputs.append(layer(row))
    return torch.stack(outputs)


@torch.no_grad()
def after(layer, batch):
    return layer(batch)

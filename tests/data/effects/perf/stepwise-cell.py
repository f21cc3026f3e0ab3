"""`nn.GRUCell` for each step of a sequence, against `nn.GRU`: forwards and backwards."""
import torch
from torch import nn

CASES = {"100 steps, 32-64, batch 8": (32, 64, 8, 100), "20 steps, 512-512, batch 64": (512, 512, 64, 20)}


def setup(inputs, hidden, batch, steps):
    cell, layer = nn.GRUCell(inputs, hidden), nn.GRU(inputs, hidden, batch_first=True)
    layer.load_state_dict({name + "_l0": value for name, value in cell.state_dict().items()})
    return cell, layer, torch.randn(batch, steps, inputs), torch.zeros(batch, hidden)


def before(cell, layer, x, h):
    for t in range(x.size(1)):
        h = cell(x[:, t], h)
    h.sum().backward()
    return h


def after(cell, layer, x, h):
    outputs, h = layer(x)
    h.sum().backward()
    return h[0]

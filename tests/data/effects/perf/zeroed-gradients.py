"""`zero_grad(set_to_none=False)` in a training step, against `zero_grad()`."""
import torch
from torch import nn

CASES = {"MLP 784-2048-2048-10, batch 32": (784, 2048, 32), "MLP 8-8-8-10, batch 4": (8, 8, 4)}


def setup(inputs, hidden, batch):
    net = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 10))
    return net, torch.optim.SGD(net.parameters(), lr=0.001), torch.randn(batch, inputs)


def before(net, optimizer, x):
    optimizer.zero_grad(set_to_none=False)
    net(x).sum().backward()
    optimizer.step()


def after(net, optimizer, x):
    optimizer.zero_grad()
    net(x).sum().backward()
    optimizer.step()

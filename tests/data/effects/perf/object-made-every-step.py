"""A loss made in each training step, against once."""
import torch
from torch import nn

CASES = {"linear layer 8-8, batch 4": (8, 4), "MLP 128-256-10, batch 64": (128, 64)}


def setup(width, batch):
    net = nn.Linear(8, 8) if width == 8 else nn.Sequential(nn.Linear(width, 256), nn.ReLU(), nn.Linear(256, 8))
    return net, torch.optim.SGD(net.parameters(), lr=0.001), torch.randn(batch, width), torch.randint(0, 8, (batch,)), nn.CrossEntropyLoss()


def before(net, optimizer, x, y, criterion):
    criterion = nn.CrossEntropyLoss()
    loss = criterion(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def after(net, optimizer, x, y, criterion):
    loss = criterion(net(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()

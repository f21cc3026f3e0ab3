"""A histogram of the weights in each of 20 steps, against one."""
import sys
import tempfile
import types

import torch
from torch import nn

# TensorBoard takes TensorFlow where it is there, which does not go with PyTorch in one process.
sys.modules["tensorboard.compat.notf"] = types.ModuleType("notf")
from torch.utils.tensorboard import SummaryWriter

CASES = {"MLP 128-256-10, batch 64": (128, 256)}


def setup(inputs, hidden):
    net = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, 10))
    return net, torch.optim.SGD(net.parameters(), lr=0.001), torch.randn(64, inputs), SummaryWriter(tempfile.mkdtemp())


def steps(net, optimizer, x, writer, every):
    for i in range(20):
        optimizer.zero_grad()
        net(x).mean().backward()
        optimizer.step()
        if i % every == 0:
            writer.add_histogram("weights", net[0].weight, i)


def before(net, optimizer, x, writer):
    steps(net, optimizer, x, writer, 1)


def after(net, optimizer, x, writer):
    steps(net, optimizer, x, writer, 20)

"""Training steps with anomaly detection, against without."""
import torch
from torch import nn

CASES = {"MLP 128-256-10, batch 64, 5 steps": (128, 256, 64), "MLP 784-2048-10, batch 256, 5 steps": (784, 2048, 256)}


def setup(inputs, hidden, batch):
    net = nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, 10))
    return net, torch.optim.SGD(net.parameters(), lr=0.001), torch.randn(batch, inputs)


def steps(net, optimizer, x):
    for i in range(5):
        optimizer.zero_grad()
        net(x).mean().backward()
        optimizer.step()


def before(net, optimizer, x):
    torch.autograd.set_detect_anomaly(True)
    steps(net, optimizer, x)


def after(net, optimizer, x):
    torch.autograd.set_detect_anomaly(False)
    steps(net, optimizer, x)

"""A list of losses after `backward`, against one of `loss.detach()`."""
import torch
from torch import nn

CASES = {"MLP 784-256-10, 200 steps of 64 of 12,800 pictures": (784, 1, 64, 200), "MLP of 50 layers of 16, 500 steps of 8": (16, 50, 8, 500)}
MEASURE = "memory"


def setup(inputs, layers, batch, steps):
    parts = [nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10)] if inputs == 784 else [part for _ in range(layers) for part in (nn.Linear(16, 16), nn.ReLU())]
    net = nn.Sequential(*parts)
    return net, torch.optim.SGD(net.parameters(), lr=0.001), torch.rand(steps, batch, inputs)


def before(net, optimizer, batches):
    losses = []
    for x in batches:
        loss = net(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss)
    return losses


def after(net, optimizer, batches):
    losses = []
    for x in batches:
        loss = net(x).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.detach())
    return losses

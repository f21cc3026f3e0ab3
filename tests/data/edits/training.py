"""Sums and lists of losses, and graphs that are kept."""
import torch
from torch import nn

torch.manual_seed(5)
net = nn.Sequential(nn.Linear(10, 16), nn.ReLU(), nn.Linear(16, 1))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
total, weighted, losses, average = 0.0, 0, [], 0.0
for step in range(300):
    x = torch.randn(8, 10)
    loss = net(x).pow(2).mean()
    optimizer.zero_grad()
    loss.backward(retain_graph=True)
    optimizer.step()
    total += loss
    weighted = weighted + loss * x.size(0)
    average = 0.9 * average + 0.1 * loss
    losses.append(loss)
mean = float(total) / 300
kept = [float(one) for one in losses]

"""Layers that are made in `forward`, compiled models, and modes for debugging."""
import torch
from torch import nn

torch.autograd.set_detect_anomaly(True)
torch.manual_seed(11)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.enter = nn.Linear(8, 8)

    def forward(self, x):
        leave = nn.Linear(8, 3)
        return leave(self.enter(x))


shape = Net()(torch.rand(2, 8)).shape
scripted, results = nn.Linear(8, 8), []
for i in range(20):
    fast = torch.jit.script(scripted)
    results.append(fast(torch.ones(4, 8)).sum().item())

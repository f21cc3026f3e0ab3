"""Workers that end with each of 3 epochs, against `persistent_workers=True`."""
import torch
from torch.utils.data import DataLoader, TensorDataset

CASES = {"1,000 rows, 2 workers": (1000,)}
MEASURE = "wall time"


def setup(rows):
    return TensorDataset(torch.rand(rows, 4))


def before(data):
    loader = DataLoader(data, batch_size=100, shuffle=True, num_workers=2)
    for epoch in range(3):
        for x, in loader:
            pass


def after(data):
    loader = DataLoader(data, batch_size=100, shuffle=True, num_workers=2, persistent_workers=True)
    for epoch in range(3):
        for x, in loader:
            pass

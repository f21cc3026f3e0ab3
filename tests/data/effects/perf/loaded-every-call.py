"""A model loaded for each of 5 inputs, against once."""
import os
import tempfile

import torch
from torch import nn

CASES = {"MLP 512-1024-512 (4 MB)": (512,)}


def setup(width):
    path = os.path.join(tempfile.mkdtemp(), "model.pt")
    torch.save(nn.Sequential(nn.Linear(width, 2 * width), nn.ReLU(), nn.Linear(2 * width, width)), path)
    return path, torch.randn(1, width)


def predict(x, path):
    model = torch.load(path, weights_only=False).eval()
    with torch.no_grad():
        return model(x)


def before(path, x):
    return sum(predict(x, path).sum() for _ in range(5))


def after(path, x):
    model = torch.load(path, weights_only=False).eval()
    with torch.no_grad():
        return sum(model(x).sum() for _ in range(5))

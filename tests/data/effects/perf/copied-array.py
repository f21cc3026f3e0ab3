"""`torch.tensor(a)` of a fresh array, against `torch.from_numpy(a)`, with what makes the array and adds it up."""
import numpy as np
import torch

CASES = {"ones of 1,000 × 1,000": (1000,), "ones of 100 × 100": (100,)}


def setup(n):
    return n


def before(n):
    a = np.ones((n, n))
    return torch.tensor(a).sum()


def after(n):
    a = np.ones((n, n))
    return torch.from_numpy(a).sum()

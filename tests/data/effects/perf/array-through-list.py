"""`torch.tensor(a.tolist())` against `torch.tensor(a, dtype=torch.float32)`."""
import numpy as np
import torch

CASES = {"1,000 numbers": (1000,), "1,000,000 numbers": (1000000,), "16 numbers": (16,)}


def setup(n):
    return np.random.rand(n)


def before(a):
    return torch.tensor(a.tolist())


def after(a):
    return torch.tensor(a, dtype=torch.float32)

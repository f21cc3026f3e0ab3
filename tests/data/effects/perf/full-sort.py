"""All sorted for the sake of 10, against `topk` and `argpartition`."""
import numpy as np
import torch

CASES = {
    "torch, 10 of 100,000": ("torch", 100000), "torch, 10 of 1,000": ("torch", 1000), "torch, 10 of 200": ("torch", 200),
    "NumPy, 10 of 100,000": ("numpy", 100000), "NumPy, 10 of 1,000": ("numpy", 1000), "NumPy, 10 of 200": ("numpy", 200),
}


def setup(library, n):
    return library, torch.randn(n) if library == "torch" else np.random.randn(n)


def before(library, x):
    if library == "torch":
        return torch.sort(x, descending=True)[0][:10]
    return np.argsort(x)[:10]


def after(library, x):
    if library == "torch":
        return torch.topk(x, 10).values
    nearest = np.argpartition(x, 9)[:10]
    return nearest[np.argsort(x[nearest])]

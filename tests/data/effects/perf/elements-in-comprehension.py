"""`[v.item() for v in x]` against `x.tolist()`."""
import torch

CASES = {"2,000 elements": (2000,), "20 elements": (20,)}


def setup(n):
    return torch.rand(n)


def before(x):
    return [v.item() for v in x]


def after(x):
    return x.tolist()

"""A product computed in each of 20 iterations, against one computed before the loop."""
import torch

CASES = {"512 × 512": (512,), "64 × 64": (64,), "8 × 8": (8,)}


def setup(n):
    return torch.rand(n, n) / n, torch.rand(n, n), torch.zeros(n, n)


def before(d, x, b):
    for step in range(20):
        t1 = d @ x
        b = t1 - d @ b
    return b


def after(d, x, b):
    t1 = d @ x
    for step in range(20):
        b = t1 - d @ b
    return b

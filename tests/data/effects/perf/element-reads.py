"""`t[i].item()` for each element, against `tolist()` once."""
import torch

CASES = {"2,000 elements": (2000,), "20 elements": (20,)}


def setup(n):
    return n, torch.rand(n)


def before(n, t):
    total = 0.0
    for i in range(n):
        total += t[i].item()
    return total


def after(n, t):
    total = 0.0
    for v in t.tolist():
        total += v
    return total

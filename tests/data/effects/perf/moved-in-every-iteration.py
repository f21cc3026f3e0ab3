"""A tensor moved in each of 100 iterations, against once."""
import torch

CASES = {"100 times 4,096 × 4,096": (100, 4096)}
MEASURE = "moved bytes"


def setup(iterations, n):
    return iterations, torch.randn(n, n), torch.randn(8, n, device="cuda")


def before(iterations, w, x):
    for i in range(iterations):
        y = x @ w.cuda()


def after(iterations, w, x):
    w_moved = w.cuda()
    for i in range(iterations):
        y = x @ w_moved

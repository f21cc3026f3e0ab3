"""A product with a diagonal or with one-hot rows, against scaling or taking rows."""
import numpy as np
import torch
import torch.nn.functional as F

CASES = {
    "diagonal of 1,000 by 1,000 × 1,000": ("diagonal", 1000, 1000), "diagonal of 20 by 20 × 20": ("diagonal", 20, 20), "diagonal of 1,000 by a vector": ("diagonal", 1000, 1),
    "128 one-hot rows by 5,000 × 64": ("one-hot", 128, 5000), "128 one-hot rows by 10 × 64": ("one-hot", 128, 10),
}


def setup(kind, n, m):
    if kind == "diagonal":
        return kind, np.random.rand(n), np.random.rand(n, m)
    return kind, torch.randint(0, m, (n,)), torch.randn(m, 64)


def before(kind, d, m):
    if kind == "diagonal":
        return np.diag(d) @ m
    return F.one_hot(d, len(m)).float() @ m


def after(kind, d, m):
    if kind == "diagonal":
        return d[:, None] * m
    return m[d]

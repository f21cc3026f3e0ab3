"""`a @ b @ v` against `a @ (b @ v)`."""
import torch

CASES = {"1,000 × 1,000 twice, and a vector": (1000, 1000, 1000, 1), "100 × 100 twice, and a vector": (100, 100, 100, 1), "20 × 20 twice, and a vector": (20, 20, 20, 1), "300 × 300 twice, by 300 × 150": (300, 300, 300, 150), "basis of 4,000 × 5, and a vector": (4000, 5, 4000, 1)}


def setup(n, k, m, p):
    return torch.randn(n, k), torch.randn(k, m), torch.randn(m, p)


def before(a, b, v):
    return a @ b @ v


def after(a, b, v):
    return a @ (b @ v)

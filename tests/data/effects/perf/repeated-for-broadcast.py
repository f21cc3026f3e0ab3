"""`a.repeat(1, 128, 1) * b` against `a * b`."""
import torch

CASES = {"256 × 1 × 64 by 256 × 128 × 64": (256, 128, 64), "16 × 1 × 16 by 16 × 40 × 16": (16, 40, 16)}
MEASURE = ["time", "memory"]


def setup(n, m, k):
    return m, torch.randn(n, 1, k), torch.randn(n, m, k)


def before(m, a, b):
    return (a.repeat(1, m, 1) * b).sum()


def after(m, a, b):
    return (a * b).sum()

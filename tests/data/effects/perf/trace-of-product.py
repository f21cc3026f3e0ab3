"""`np.trace(a @ b)` against `(a * b.T).sum()`."""
import numpy as np

CASES = {"800 × 800": (800,), "64 × 64": (64,), "8 × 8": (8,), "3 × 3": (3,)}


def setup(n):
    return np.random.rand(n, n), np.random.rand(n, n)


def before(a, b):
    return np.trace(a @ b)


def after(a, b):
    return (a * b.T).sum()

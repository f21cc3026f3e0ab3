"""A loop with a branch that writes elements, against `np.where`."""
import numpy as np

CASES = {"128 × 128": (128,), "8 × 8": (8,)}


def setup(n):
    return np.random.randn(n, n)


def before(z):
    out = np.zeros_like(z)
    for i in range(z.shape[0]):
        for j in range(z.shape[1]):
            if z[i, j] > 0:
                out[i, j] = 1.0
    return out


def after(z):
    return np.where(z > 0, 1.0, 0.0)

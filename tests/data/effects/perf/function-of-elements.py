"""`np.vectorize` of a function that only computes, against `np.minimum`."""
import numpy as np

CASES = {"10,000 numbers": (10000,), "20 numbers": (20,)}


def clip(v):
    if v < 1.0:
        return v
    return 1.0


fast = np.vectorize(clip, otypes=[float])


def setup(n):
    return np.random.rand(n) * 2


def before(x):
    return fast(x)


def after(x):
    return np.minimum(x, 1.0)

"""`np.array([np.sin(v) for v in x])` against `np.sin(x)`."""
import numpy as np

CASES = {"10,000 numbers": (10000,), "20 numbers": (20,)}


def setup(n):
    return np.random.rand(n)


def before(x):
    return np.array([np.sin(v) for v in x])


def after(x):
    return np.sin(x)

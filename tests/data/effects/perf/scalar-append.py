"""A loop that collects what it computes of elements, against one expression."""
import numpy as np

CASES = {"5,000 numbers": (5000,), "20 numbers": (20,)}


def setup(n):
    return np.random.rand(n)


def before(x):
    out = []
    for v in x:
        out.append(v * 2 + 1)
    return out


def after(x):
    out = []
    out.extend(x * 2 + 1)
    return out

"""Python's `sum` of an array, against its method."""
import numpy as np

CASES = {"100,000 numbers": (100000,), "100 numbers": (100,), "16 numbers": (16,), "4 numbers": (4,)}


def setup(n):
    return np.random.rand(n)


def before(a):
    return sum(a)


def after(a):
    return a.sum()

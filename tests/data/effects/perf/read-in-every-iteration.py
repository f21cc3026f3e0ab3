"""A file read in each of 50 iterations, against once."""
import os
import tempfile

import numpy as np

CASES = {"128 numbers": (128,), "100,000 numbers": (100000,)}


def setup(n):
    path = os.path.join(tempfile.mkdtemp(), "mean.npy")
    np.save(path, np.random.rand(n))
    return path, np.random.rand(n)


def before(path, x):
    total = 0.0
    for i in range(50):
        mean = np.load(path)
        total += ((x - mean) ** 2).sum()
    return total


def after(path, x):
    total = 0.0
    mean = np.load(path)
    for i in range(50):
        total += ((x - mean) ** 2).sum()
    return total

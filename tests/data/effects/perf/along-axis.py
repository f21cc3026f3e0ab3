"""`np.apply_along_axis` of a function with an `axis`, against the function."""
import numpy as np

CASES = {"norms of 10,000 rows of 8": (10000, 8), "norms of 10 rows of 100,000": (10, 100000)}


def setup(rows, columns):
    return np.random.rand(rows, columns)


def before(x):
    return np.apply_along_axis(np.linalg.norm, 1, x)


def after(x):
    return np.linalg.norm(x, axis=1)

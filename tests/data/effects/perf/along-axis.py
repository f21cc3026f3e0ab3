"""`np.apply_along_axis` of a function with an `axis`, against the function."""
import numpy as np

CASES = {
    "norms of 10,000 rows of 8": ("norm", 10000, 8), "norms of 100 rows of 1,000": ("norm", 100, 1000), "norms of 100 rows of 10,000": ("norm", 100, 10000),
    "norms of 10 rows of 100,000": ("norm", 10, 100000), "means of 100 rows of 10,000": ("mean", 100, 10000),
}


def setup(name, rows, columns):
    return np.linalg.norm if name == "norm" else np.mean, np.random.rand(rows, columns)


def before(function, x):
    return np.apply_along_axis(function, 1, x)


def after(function, x):
    return function(x, axis=1)

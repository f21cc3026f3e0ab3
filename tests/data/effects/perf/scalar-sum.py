"""A loop that adds up squares of differences, against one expression."""
import numpy as np

CASES = {"1,000 numbers": (1000,), "20 numbers": (20,)}


def setup(n):
    return n, np.random.rand(n), np.random.rand(n)


def before(n, x, y):
    distance = 0.0
    for i in range(n):
        distance += (x[i] - y[i]) ** 2
    return distance


def after(n, x, y):
    return ((x - y) ** 2).sum()

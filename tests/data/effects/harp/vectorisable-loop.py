"""A loop over elements, against one expression for whole arrays; lists are converted there and back."""
import math

import numpy as np

CASES = {"array of 10,000": ("array", 10000), "array of 100": ("array", 100), "array of 10": ("array", 10), "list of 1,000, times 2": ("list", 1000), "list of 100,000, times 2": ("list", 100000)}


def setup(kind, n):
    if kind == "list":
        return kind, n, [1.0] * n, [0.0] * n
    return kind, n, np.ones(n), np.zeros(n)


def before(kind, n, b, a):
    if kind == "list":
        for i in range(len(b)):
            a[i] = b[i] * 2
        return a
    for i in range(n):
        a[i] = math.sqrt(b[i]) * 2 + i
    return a


def after(kind, n, b, a):
    if kind == "list":
        a[:len(b)] = (np.asarray(b) * 2).tolist()
        return a
    a[:n] = np.sqrt(b[:n]) * 2 + np.arange(n)
    return a

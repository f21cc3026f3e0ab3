"""A loop over elements, against one expression for whole arrays; lists are converted there and back."""
import math

import numpy as np

CASES = {
    "array of 10,000": ("array", 10000), "array of 100": ("array", 100), "array of 20": ("array", 20), "array of 10": ("array", 10),
    "list of 1,000, one operation": ("list", 1000), "list of 1,000, two operations": ("list of two", 1000), "list of 100, two operations": ("list of two", 100),
}


def setup(kind, n):
    if kind == "array":
        return kind, n, np.ones(n), np.zeros(n)
    return kind, n, [1.0] * n, [0.0] * n


def before(kind, n, b, a):
    if kind == "list":
        for i in range(len(b)):
            a[i] = b[i] * 2
    elif kind == "list of two":
        for i in range(len(b)):
            a[i] = b[i] * 2 + 1
    else:
        for i in range(n):
            a[i] = math.sqrt(b[i]) * 2 + i
    return a


def after(kind, n, b, a):
    if kind == "list":
        a[:len(b)] = (np.asarray(b) * 2).tolist()
    elif kind == "list of two":
        a[:len(b)] = (np.asarray(b) * 2 + 1).tolist()
    else:
        a[:n] = np.sqrt(b[:n]) * 2 + np.arange(n)
    return a

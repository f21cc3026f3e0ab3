"""`inv(a) @ b` against `solve(a, b)`."""
import numpy as np

CASES = {"500 × 500 and a vector": (500, 1), "500 × 500 and 500 columns": (500, 500), "100 × 100 and a vector": (100, 1), "10 × 10 and a vector": (10, 1), "3 × 3 and a vector": (3, 1), "100 × 100 and 2,000 columns": (100, 2000)}


def setup(n, m):
    return np.random.rand(n, n) + n * np.eye(n), np.random.rand(n, m)


def before(a, b):
    return np.linalg.inv(a) @ b


def after(a, b):
    return np.linalg.solve(a, b)

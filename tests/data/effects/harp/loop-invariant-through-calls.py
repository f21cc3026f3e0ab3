"""Gradient descent on a least-squares problem: `A.T @ b` in each of 100 calls, against once."""
import numpy as np

CASES = {"500 × 300": (500, 300), "50 × 8": (50, 8)}


class Anew:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def step(self, x):
        return x - 0.0001 * (self.a.T @ (self.a @ x) - self.a.T @ self.b)


class Kept:
    def __init__(self, a, b):
        self.a, self.target = a, a.T @ b

    def step(self, x):
        return x - 0.0001 * (self.a.T @ (self.a @ x) - self.target)


def setup(rows, columns):
    return np.random.rand(rows, columns), np.random.rand(rows)


def before(a, b):
    solver, x = Anew(a, b), np.zeros(a.shape[1])
    for i in range(100):
        x = solver.step(x)
    return x


def after(a, b):
    solver, x = Kept(a, b), np.zeros(a.shape[1])
    for i in range(100):
        x = solver.step(x)
    return x

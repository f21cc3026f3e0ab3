"""`D @ (X - D.T @ A)` in a function that a loop calls 20 times, against both products made before."""
import torch

CASES = {"512 × 512": (512,), "64 × 64": (64,)}


def setup(n):
    return torch.rand(n, n) / n, torch.rand(n, n), torch.zeros(n, n)


def of_sum(d, x, a):
    return d @ (x - d.T @ a)


def of_products(dx, dd, a):
    return dx - dd @ a


def before(d, x, a):
    for step in range(20):
        a = of_sum(d, x, a)
    return a


def after(d, x, a):
    dx, dd = d @ x, d @ d.T
    for step in range(20):
        a = of_products(dx, dd, a)
    return a

"""`D @ (X - D.T @ A)` in each of 20 iterations, against `t1 - t2 @ A` with both products made before."""
import torch

CASES = {"512 × 512": (512, 512), "64 × 64": (64, 64), "400 × 200 (wide D)": (200, 400)}


def setup(n, m):
    return torch.rand(n, m) / m, torch.rand(m, n), torch.zeros(n, n)


def before(d, x, a):
    for step in range(20):
        a = d @ (x - d.T @ a)
    return a


def after(d, x, a):
    t1, t2 = d @ x, d @ d.T
    for step in range(20):
        a = t1 - t2 @ a
    return a

"""A step that calls `torch.compile` of the same function, against one compiled before: 20 steps."""
import torch

CASES = {"20 steps, 8 numbers (backend eager)": (20,)}


def loss(a, b):
    return ((a - b) ** 2).mean()


fast = torch.compile(loss, backend="eager")


def setup(steps):
    return steps, torch.randn(8), torch.randn(8)


def before(steps, x, y):
    for i in range(steps):
        value = torch.compile(loss, backend="eager")(x, y)
    return value


def after(steps, x, y):
    for i in range(steps):
        value = fast(x, y)
    return value

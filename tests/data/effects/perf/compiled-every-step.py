"""A model that is traced or compiled in each of 5 iterations, against once before them."""
import torch

CASES = {"torch.jit.trace of an MLP": ("trace",), "torch.compile of an MLP (backend eager)": ("compile",)}


def setup(kind):
    net = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 8))
    x = torch.randn(4, 64)
    if kind == "trace":
        return lambda: torch.jit.trace(net, x), x
    return lambda: torch.compile(net, backend="eager"), x


@torch.no_grad()
def before(make, x):
    for i in range(5):
        fast = make()
        y = fast(x)
    return y


@torch.no_grad()
def after(make, x):
    fast = make()
    for i in range(5):
        y = fast(x)
    return y

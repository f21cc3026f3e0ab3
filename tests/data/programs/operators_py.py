"""A small tensor-network library with operator overloading, descriptors, context managers and generators."""
from __future__ import annotations

import functools
import operator
from collections import Counter, ChainMap
from contextlib import ExitStack, contextmanager, nullcontext

import torch
from torch import nn


class Positive:
    """A descriptor for numbers above zero."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, obj, objtype=None):
        if obj is None:
            return self
        return getattr(obj, self.name)

    def __set__(self, obj, value):
        if value <= 0:
            raise ValueError(f"{self.name} must be positive")
        setattr(obj, self.name, value)


class Space:
    dim = Positive()

    def __init__(self, dim):
        self.dim = dim

    def __matmul__(self, other: Space) -> Map:
        return Map(self, other, torch.randn(self.dim, other.dim))

    def __add__(self, other):
        return Space(self.dim + other.dim)

    def __mul__(self, other):
        return Space(self.dim * (other.dim if isinstance(other, Space) else other))

    __rmul__ = __mul__

    def __eq__(self, other):
        return isinstance(other, Space) and self.dim == other.dim

    def __hash__(self):
        return hash(self.dim)


class Map:
    __slots__ = ("source", "target", "data")

    def __init__(self, source, target, data):
        self.source, self.target, self.data = source, target, data

    def __rshift__(self, other: Map) -> Map:
        return Map(self.source, other.target, self.data @ other.data)

    def __call__(self, x):
        return x @ self.data

    def __or__(self, other):
        data = torch.block_diag(self.data, other.data)
        return Map(self.source + other.source, self.target + other.target, data)

    def __getitem__(self, key):
        return self.data[key]

    @property
    def T(self):
        return Map(self.target, self.source, self.data.T)

    def __len__(self):
        return self.data.shape[0]

    def __iter__(self):
        yield from self.data


class Lookup:
    """Layers by attribute, made when first asked for."""

    def __init__(self, **sizes):
        self.sizes = sizes

    def __getattr__(self, name):
        if name.startswith("layer_"):
            size = self.sizes[name.removeprefix("layer_")]
            layer = nn.Linear(*size)
            setattr(self, name, layer)
            return layer
        raise AttributeError(name)


def compose(*functions):
    return functools.reduce(lambda f, g: lambda x: g(f(x)), functions)


def counted(fn):
    @functools.wraps(fn)
    def inner(*args, **kwargs):
        inner.calls += 1
        return fn(*args, **kwargs)
    inner.calls = 0
    return inner


@counted
def project(x, /, *, onto: Map, scale: float = 1.0):
    return scale * onto(x)


def chunks(x, size):
    start = 0
    while (part := x[start : start + size]).shape[0]:
        yield part
        start += size


@functools.lru_cache(maxsize=None)
def basis(n):
    return torch.eye(n)


a, b, c = Space(6), Space(10), Space(4)
f, g = a @ b, b @ c  #! b @ c => c @ b
h = f >> g  #! f >> g => g >> f
x = torch.rand(5, 6)  #! 5, 6 => 6, 5
reveal_type(h(x))
both = f | g.T  #! f | g.T => f | g
reveal_type(both.data)
y = both(torch.rand(3, (2 * (a + c)).dim // 2))
reveal_type(y)
net = Lookup(first=(6, 12), second=(12, 3))  #! second=(12, 3) => second=(3, 12)
z = compose(net.layer_first, torch.relu, net.layer_second)(x)
reveal_type(z)
reveal_type(project(x, onto=f, scale=2.0))
rows = [row for row in f]
reveal_type(torch.stack(rows, dim=1))
sizes = Counter(len(part) for part in chunks(torch.arange(11), 4))
options = ChainMap({"width": 8}, {"width": 2, "depth": 3})
tower = nn.Sequential(*(nn.Linear(options["width"], options["width"]) for _ in range(options["depth"])))  #! options["width"], options["width"] => options["width"], options["depth"]
reveal_type(tower(torch.rand(2, 8)))
total = functools.reduce(operator.mul, (2, 3, 4))
flat = torch.rand(2, 3, 4).reshape(total)
reveal_type(flat @ torch.rand(24))  #! torch.rand(24) => torch.rand(12)
first, *middle, last = f.data.shape + (1,)
with ExitStack() as stack:
    stack.enter_context(torch.no_grad() if first else nullcontext())
    head, tail = x[..., :2], x[..., 2:]  #! 2:] => 3:]
    joined = torch.cat((head @ basis(2), tail @ basis(4)), -1)
reveal_type(joined)
window = slice(1, None, 2)
picked = f[window, :3]
reveal_type(picked)

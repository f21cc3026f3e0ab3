# Random tensors of a shape.
import numpy as np
from keras._shapes import _made


def _of(shape, dtype):
    return _made((shape,) if isinstance(shape, int) else tuple(shape), np.float32 if dtype is None else dtype)


def normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    return _of(shape, dtype)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    return _of(shape, dtype)


def uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    return _of(shape, dtype)


def randint(shape, minval, maxval, dtype="int32", seed=None):
    return _of(shape, np.int32 if dtype == "int32" else dtype)


def gamma(shape, alpha, dtype=None, seed=None):
    return _of(shape, dtype)


def beta(shape, alpha, beta, dtype=None, seed=None):
    return _of(shape, dtype)


def binomial(shape, counts, probabilities, dtype=None, seed=None):
    return _of(shape, dtype)


class SeedGenerator:
    def __init__(self, seed=None, name=None, **options):
        self.seed = seed

    def next(self, ordered=True):
        return _made((2,), np.uint32)

# Random numbers.
from harp_library import require
from tensorflow._core import as_tensor
from tensorflow._shared import made, sizes_of


def uniform(shape, minval=0, maxval=None, dtype="float32", seed=None, name=None):
    return made(sizes_of(shape), dtype)


def normal(shape, mean=0.0, stddev=1.0, dtype="float32", seed=None, name=None):
    return made(sizes_of(shape), dtype)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype="float32", seed=None, name=None):
    return made(sizes_of(shape), dtype)


def stateless_uniform(shape, seed, minval=0, maxval=None, dtype="float32", name=None, alg="auto_select"):
    return made(sizes_of(shape), dtype)


def stateless_normal(shape, seed, mean=0.0, stddev=1.0, dtype="float32", name=None, alg="auto_select"):
    return made(sizes_of(shape), dtype)


def stateless_truncated_normal(shape, seed, mean=0.0, stddev=1.0, dtype="float32", name=None, alg="auto_select"):
    return made(sizes_of(shape), dtype)


def categorical(logits, num_samples, dtype="int64", seed=None, name=None):
    logits = as_tensor(logits)
    require(len(logits.shape) == 2, "categorical takes a matrix of logits")
    return made((logits.shape[0], num_samples), dtype)

# Functions that make weights: each takes a key, a shape and a type.
import numpy as np
from harp_library import require, tensor


def _made(shape, dtype):
    if dtype is None or dtype is float:
        dtype = np.float32
    return tensor(shape, dtype, "jax.Array")


def _number(shape):
    return len(shape) if isinstance(shape, (tuple, list)) else 1


def _plain(dtype):
    def init(key, shape, dtype=dtype, out_sharding=None):
        return _made(shape, dtype)
    return init


def _of_matrices(dtype):
    # Fans are counted from two axes, so there must be two.
    def init(key, shape, dtype=dtype, out_sharding=None):
        require(_number(shape) >= 2, "this initializer needs a shape with at least 2 axes")
        return _made(shape, dtype)
    return init


def zeros(key, shape, dtype=None, out_sharding=None):
    return _made(shape, dtype)


def ones(key, shape, dtype=None, out_sharding=None):
    return _made(shape, dtype)


def constant(value, dtype=None):
    return _plain(dtype)


def normal(stddev=0.01, dtype=None):
    return _plain(dtype)


def uniform(scale=0.01, dtype=None):
    return _plain(dtype)


def truncated_normal(stddev=0.01, dtype=None, lower=-2.0, upper=2.0):
    return _plain(dtype)


def variance_scaling(scale, mode, distribution, in_axis=-2, out_axis=-1, batch_axis=(), dtype=None):
    return _of_matrices(dtype)


def glorot_normal(in_axis=-2, out_axis=-1, batch_axis=(), dtype=None):
    return _of_matrices(dtype)


glorot_uniform = he_normal = he_uniform = kaiming_normal = kaiming_uniform = glorot_normal
lecun_normal = lecun_uniform = xavier_normal = xavier_uniform = glorot_normal


def orthogonal(scale=1.0, column_axis=-1, dtype=None):
    return _of_matrices(dtype)


def delta_orthogonal(scale=1.0, column_axis=-1, dtype=None):
    def init(key, shape, dtype=dtype, out_sharding=None):
        require(_number(shape) >= 3, "delta_orthogonal needs a shape with 3 to 5 axes")
        require(_number(shape) <= 5, "delta_orthogonal needs a shape with 3 to 5 axes")
        require(shape[-1] >= shape[-2], "delta_orthogonal needs at least as many outputs as inputs")
        return _made(shape, dtype)
    return init

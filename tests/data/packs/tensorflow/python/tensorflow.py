# What only Python says: placeholders and what runs feed them with, variables, the shape of a tensor as an object, and functions whose results it tells.
# Most of these have entries.
import numpy as np
import torch
from harp_library import array, fed, free_size, tensor, to_be_fed

float32 = np.float32


class Tensor:
    def get_shape(self):
        return TensorShape(self.shape)


class TensorShape:
    def __init__(self, dims):
        self.dims = dims

    def as_list(self):
        return list(self.dims)

    @property
    def rank(self):
        return len(self.dims)


class Variable:
    def __init__(self, initial_value, trainable=True, name=None):
        self.value = initial_value

    def __array__(self):
        return self.value

    def assign(self, value):
        self.value = value
        return self


def stack(values, axis=0, name=None):
    first = values[0]
    return tensor(first.shape[:axis] + (len(values),) + first.shape[axis:], first.dtype, "tensorflow.Tensor")


class Dense:
    def __init__(self, units, use_bias=True):
        self.units = units

    def __call__(self, inputs):
        return tensor(inputs.shape[:-1] + (self.units,), inputs.dtype, "tensorflow.Tensor")


def placeholder(dtype, shape=None, name=None):
    if shape is not None:
        shape = [free_size("size", 0) if size is None else size for size in shape]
    return to_be_fed(shape, dtype, "tensorflow.Tensor")


def _result(value):
    if isinstance(value, (list, tuple)):
        return [_result(item) for item in value]
    return array(value.shape, value.dtype) if hasattr(value, "shape") else value


class Session:
    def __init__(self, target="", graph=None):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def run(self, fetches, feed_dict=None):
        return _result(fed(feed_dict or {}, fetches))

# What only Python says: variables, the shape of a tensor as an object, and functions whose results it tells. These have entries.
import torch
from harp_library import tensor


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


class Session:
    def __init__(self, target="", graph=None):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None

    def run(self, fetches, feed_dict=None):
        return fetches

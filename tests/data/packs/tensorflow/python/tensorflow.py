# What only Python says: placeholders and what runs feed them with, variables, the shape of a tensor as an object, and functions whose results it tells.
# Most of these have entries.
import collections

import numpy as np
import torch
from harp_library import array, fed, free_size, left_open, numbers_of, require, said, tensor, to_be_fed

float32 = np.float32
float64 = np.float64
int32 = np.int32


class Tensor:
    def get_shape(self):
        return self.shape


class TensorShape:
    def __new__(cls, dims):
        return tuple(dims)

    def as_list(self):
        return list(self)

    @property
    def rank(self):
        return len(self)


def decoded(data):
    return tensor(None, float32, "tensorflow.Tensor")


def set_shape(image, sizes):
    said(image, sizes)


class _Sizes(tuple):
    pass


def sizes(x):
    # As a tensor of numbers that are known.
    return tensor((len(x.shape),), int32, "tensorflow.Tensor", numbers=x.shape)


def several_of(x, sizes):
    known = numbers_of(sizes)
    return tensor(known if known is not None else None, x.dtype, "tensorflow.Tensor")


def shape(input, name=None):
    return _Sizes(input.shape)


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
        shape = [free_size("size", 0, open=True) if size is None else size for size in shape]
    return to_be_fed(shape, dtype, "tensorflow.Tensor")


# What takes what is fed apart.
Halves = collections.namedtuple("Halves", ("left", "right"))


def halves(x):
    rows = x.shape[0] // 2
    return Halves(tensor((rows, 10), x.dtype, "tensorflow.Tensor"), tensor((rows, 10), x.dtype, "tensorflow.Tensor"))


def several(x):
    return [x, tensor((x.shape[0], 10), x.dtype, "tensorflow.Tensor")]


def even(x):
    require(x.shape[0] % 2 == 0, "an even number of rows is needed")
    return tensor((x.shape[0] // 2, x.shape[1]), x.dtype, "tensorflow.Tensor")


def narrow(x):
    require(not left_open(x.shape[-1]), "the last size must be known")
    return tensor((x.shape[0], 1), x.dtype, "tensorflow.Tensor")


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

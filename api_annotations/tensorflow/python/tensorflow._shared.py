# What the sources of the pack share: tensors of a shape, axes, shapes as programs write them.
import numpy as np
from harp_library import free_size, is_known, require, tensor


def made(shape, dtype=None):
    return tensor(shape, dtype, "tensorflow.Tensor")


def dtype_or(dtype, default):
    return default if dtype is None else dtype


# Whether a condition surely holds: of what is not known, it does not.
def surely(condition):
    return condition if is_known(condition) else False


# An axis counted from the front. Nothing is required of a rank that is not known.
def front_axis(axis, rank, what="the tensor"):
    require(axis >= -rank, "the axis is out of range for " + what)
    require(axis < rank, "the axis is out of range for " + what)
    return axis + rank if axis < 0 else axis


# The sizes that a program gives as a shape: a list, a number, a tensor of sizes. `None` and -1 stand for any.
def sizes_of(shape):
    if surely(isinstance(shape, int)):
        return (shape,)
    if surely(isinstance(shape, (list, tuple))):
        sizes = tuple(free_size("size", 0) if size is None else size for size in shape)
        for size in sizes:
            require(size >= 0, "a size must not be negative")
        return sizes
    return shape


def same_shape(left, right, message):
    require(len(left) == len(right), message)
    for one, other in zip(left, right):
        require(one == other, message)


# The shape of a text, or of a list of texts; None of anything else.
def shape_of_texts(value):
    if surely(isinstance(value, (str, bytes))):
        return ()
    if surely(isinstance(value, (list, tuple))) and surely(len(value) > 0):
        if surely(isinstance(value[0], (str, bytes))):
            return (len(value),)
        if surely(isinstance(value[0], (list, tuple))) and surely(len(value[0]) > 0) and surely(isinstance(value[0][0], (str, bytes))):
            return (len(value), len(value[0]))
    return None


# Indices are whole numbers.
def require_whole(indices):
    if surely(indices.dtype in (np.float16, np.float32, np.float64)):
        require(False, "indices must be whole numbers")

# Sets in the last axis of tensors: each row is one.
from harp_library import free_size, require
from tensorflow._core import as_tensor
from tensorflow._shared import made, surely
from tensorflow._sparse import SparseTensor


def _together(a, b):
    """A sparse tensor with a set for each row of both."""
    a, b = _rows(a), _rows(b)
    require(len(a.shape) == len(b.shape), "both tensors have as many axes")
    for one, other in zip(a.shape[:-1], b.shape[:-1]):
        require(one == other, "both tensors have as many rows")
    return SparseTensor(None, made((free_size("found", 0),), a.dtype), a.shape[:-1] + (free_size("largest", 0),))


def _rows(value):
    if surely(isinstance(value, SparseTensor)):
        return value
    value = as_tensor(value)
    require(len(value.shape) >= 2, "sets are rows: a tensor of them has two axes or more")
    return value


def intersection(a, b, validate_indices=True):
    return _together(a, b)


def union(a, b, validate_indices=True):
    return _together(a, b)


def difference(a, b, aminusb=True, validate_indices=True):
    return _together(a, b)


def size(a, validate_indices=True):
    return made(a.shape[:-1], "int32")

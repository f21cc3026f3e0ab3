# What the shape notation cannot say of jax.numpy: results whose sizes only values tell, unless the argument `size` does.
import numpy as np
from harp_library import free_size, judge, require, tensor

_CLASS = "jax.Array"


def _is_array(value):
    return not isinstance(value, (list, tuple, str, dict))


def _found(name, size):
    return free_size(name, 0) if size is None else size


def _places(shape, count):
    return tuple(tensor((count,), np.int32, _CLASS) for _ in range(max(len(shape), 1)))


def nonzero(a, *, size=None, fill_value=None):
    require(_is_array(a), "nonzero takes an array, not a list")
    return _places(np.shape(a), _found("nonzero", size))


def argwhere(a, *, size=None, fill_value=None):
    require(_is_array(a), "argwhere takes an array, not a list")
    return tensor((_found("nonzero", size), len(np.shape(a))), np.int32, _CLASS)


def flatnonzero(a, *, size=None, fill_value=None):
    return tensor((_found("nonzero", size),), np.int32, _CLASS)


def _distinct(x, size, axis):
    count = _found("distinct", size)
    if axis is None:
        return tensor((count,), x.dtype, _CLASS)
    place = axis + len(x.shape) if axis < 0 else axis
    return tensor(x.shape[:place] + (count,) + x.shape[place + 1:], x.dtype, _CLASS)


def unique(ar, return_index=False, return_inverse=False, return_counts=False, axis=None, *, equal_nan=True, size=None, fill_value=None, sorted=True):
    require(_is_array(ar), "unique takes an array, not a list")
    values = _distinct(ar, size, axis)
    count = values.shape[0 if axis is None else axis]
    found = [values]
    if return_index:
        found.append(tensor((count,), np.int32, _CLASS))
    if return_inverse:
        found.append(tensor(ar.shape if axis is None else (ar.shape[axis],), np.int32, _CLASS))
    if return_counts:
        found.append(tensor((count,), np.int32, _CLASS))
    return tuple(found) if len(found) > 1 else values


def unique_values(x, /, *, size=None, fill_value=None):
    return _distinct(x, size, None)


def _as_set(one, other, size):
    return tensor((_found("distinct", size),), (one + other).dtype if one.shape == other.shape else None, _CLASS)


def union1d(ar1, ar2, *, size=None, fill_value=None):
    return tensor((_found("distinct", size),), None, _CLASS)


def setdiff1d(ar1, ar2, assume_unique=False, *, size=None, fill_value=None):
    return tensor((_found("distinct", size),), ar1.dtype, _CLASS)


def setxor1d(ar1, ar2, assume_unique=False, *, size=None, fill_value=None):
    return tensor((_found("distinct", size),), None, _CLASS)


def intersect1d(ar1, ar2, assume_unique=False, return_indices=False, *, size=None, fill_value=None):
    values = tensor((_found("distinct", size),), None, _CLASS)
    if return_indices:
        places = tensor((values.shape[0],), np.int32, _CLASS)
        return values, places, places
    return values


def repeat(a, repeats, axis=None, *, total_repeat_length=None, out_sharding=None):
    require(_is_array(a), "repeat takes an array, not a list")
    if total_repeat_length is None:
        longer = np.repeat(a, repeats, axis)
        return tensor(longer.shape, a.dtype, _CLASS)
    if axis is None:
        return tensor((total_repeat_length,), a.dtype, _CLASS)
    place = axis + len(a.shape) if axis < 0 else axis
    return tensor(a.shape[:place] + (total_repeat_length,) + a.shape[place + 1:], a.dtype, _CLASS)


def bincount(x, weights=None, minlength=0, *, length=None, out_sharding=None):
    require(len(np.shape(x)) == 1, "bincount takes a vector")
    count = free_size("bins", 0) if length is None else length
    return tensor((count,), np.int32 if weights is None else weights.dtype, _CLASS)


def compress(condition, a, axis=None, *, size=None, fill_value=0, out=None):
    count = _found("selected", size)
    if axis is None:
        return tensor((count,), a.dtype, _CLASS)
    place = axis + len(a.shape) if axis < 0 else axis
    return tensor(a.shape[:place] + (count,) + a.shape[place + 1:], a.dtype, _CLASS)


def extract(condition, arr, *, size=None, fill_value=0):
    return tensor((_found("selected", size),), arr.dtype, _CLASS)

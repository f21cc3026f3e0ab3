# What is said among the rows of a mapped axis, by the name of that axis.
import numpy as np
from harp_library import require, tensor, tree_map
from jax._batching import size_of_axis
from jax._steps import stacked

_CLASS = "jax.Array"


def _size(axis_name):
    if isinstance(axis_name, (tuple, list)):
        total = 1
        for name in axis_name:
            total = total * size_of_axis(name)
        return total
    return size_of_axis(axis_name)


def psum(x, axis_name, *, axis_index_groups=None):
    if isinstance(x, int):
        return _size(axis_name) * x
    return tree_map(_kept, x)


def _kept(leaf):
    return leaf


def pmean(x, axis_name, *, axis_index_groups=None):
    return tree_map(_kept, x)


pmax = pmin = pmean


def ppermute(x, axis_name, perm):
    return tree_map(_kept, x)


pshuffle = ppermute


def pbroadcast(x, axis_name, source):
    return tree_map(_kept, x)


def pcast(x, axis_name, *, to):
    return tree_map(_kept, x)


def pvary(x, axis_name):
    return tree_map(_kept, x)


def axis_index(axis_name):
    return tensor((), np.int32, _CLASS)


def axis_size(axis_name):
    return _size(axis_name)


def _grown(leaf, axis, size, tiled):
    if not tiled:
        return stacked(leaf, axis, size)
    shape = np.shape(leaf)
    place = axis + len(shape) if axis < 0 else axis
    return tensor(shape[:place] + (shape[place] * size,) + shape[place + 1:], leaf.dtype, _CLASS)


def all_gather(x, axis_name, *, axis_index_groups=None, axis=0, tiled=False, to="varying"):
    size = _size(axis_name)
    return tree_map(lambda leaf: _grown(leaf, axis, size, tiled), x)


def _scattered(leaf, axis, size, tiled):
    shape = np.shape(leaf)
    if tiled:
        require(shape[axis] % size == 0, "the axis does not divide among the rows")
        return tensor(shape[:axis] + (shape[axis] // size,) + shape[axis + 1:], leaf.dtype, _CLASS)
    require(shape[axis] == size, "the axis must be as long as there are rows")
    return tensor(shape[:axis] + shape[axis + 1:], leaf.dtype, _CLASS)


def psum_scatter(x, axis_name, *, scatter_dimension=0, axis_index_groups=None, tiled=False):
    size = _size(axis_name)
    return tree_map(lambda leaf: _scattered(leaf, scatter_dimension, size, tiled), x)


def _exchanged(leaf, split_axis, concat_axis, size, tiled):
    shape = np.shape(leaf)
    if tiled:
        require(shape[split_axis] % size == 0, "the axis does not divide among the rows")
        sizes = list(shape)
        sizes[split_axis] = sizes[split_axis] // size
        sizes[concat_axis] = sizes[concat_axis] * size
        return tensor(tuple(sizes), leaf.dtype, _CLASS)
    require(shape[split_axis] == size, "the axis must be as long as there are rows")
    rest = shape[:split_axis] + shape[split_axis + 1:]
    return tensor(rest[:concat_axis] + (size,) + rest[concat_axis:], leaf.dtype, _CLASS)


def all_to_all(x, axis_name, split_axis, concat_axis, *, axis_index_groups=None, tiled=False):
    size = _size(axis_name)
    return tree_map(lambda leaf: _exchanged(leaf, split_axis, concat_axis, size, tiled), x)


def pswapaxes(x, axis_name, axis, *, axis_index_groups=None):
    return tree_map(_kept, x)

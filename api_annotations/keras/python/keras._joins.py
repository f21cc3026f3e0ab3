# Tensors that are joined: what must be equal in them, where programs leave sizes open.
import numpy as np
import tensorflow as tf
from harp_library import is_known, judge, require
from keras._shapes import _axis, _is_open, _layer_dtype, _made


def _alike(size, other, message):
    """Sizes that must be equal, of which a program may have left one open."""
    if _is_open(size) or _is_open(other):
        judge(size == other, message)
    else:
        require(size == other, message)


def _one_of(sizes, message):
    """The size that all must have. What a program leaves open may be any."""
    known = [size for size in sizes if is_known(size)]
    for size in known[1:]:
        require(size == known[0], message)
    if len(known) > 0:
        for size in sizes:
            if not is_known(size) and not _is_open(size):
                require(size == known[0], message)
        return known[0]
    return sizes[0]


def _joined(inputs, axis):
    """Tensors one behind the other along an axis; all others are equal."""
    message = "the tensors must be equal but for the axis along which they are joined"
    rank = inputs[0].ndim
    if not is_known(rank):
        return tf.concat(inputs, axis)
    for part in inputs[1:]:
        require(part.ndim == rank, message)
    require(axis < rank, "the tensors lack the axis along which they are joined")
    require(axis >= -rank, "the tensors lack the axis along which they are joined")
    along, sizes = _axis(axis, rank), []
    for place in range(rank):
        if place == along:
            sizes.append(sum([part.shape[place] for part in inputs]))
        else:
            sizes.append(_one_of([part.shape[place] for part in inputs], message))
    return _made(tuple(sizes), _layer_dtype(inputs[0]))

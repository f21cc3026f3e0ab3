# What `tensorflow.compat.v1` has under names that version 2 gives to something else.
from tensorflow._core import as_tensor
from tensorflow._ranks import among
from tensorflow._v1run import _default_placeholder
from tensorflow._v1select import select


def placeholder(dtype, shape=None, name=None):
    return _default_placeholder(dtype, shape)


def where(condition, x=None, y=None, name=None):
    return select(condition, x, y)


def in_top_k(predictions, targets, k, name=None):
    return among(as_tensor(targets), as_tensor(predictions))

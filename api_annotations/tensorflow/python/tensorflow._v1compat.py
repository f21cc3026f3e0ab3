# What `tensorflow.compat.v1` has under names that version 2 gives to something else.
from tensorflow._v1run import _default_placeholder
from tensorflow._v1select import select


def placeholder(dtype, shape=None, name=None):
    return _default_placeholder(dtype, shape)


def where(condition, x=None, y=None, name=None):
    return select(condition, x, y)

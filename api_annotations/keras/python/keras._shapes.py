# What layers and models share: tensors, sizes that only data tells, and how windows run over an axis.
import numpy as np
import tensorflow as tf
from harp_library import free_size, is_known, require, supposing, tensor, tree_map

_FAMILY = "tensorflow.Tensor"
# The batch of all inputs is one size, which each call of a model supposes anew.
_BATCH = free_size("batch", 1)
# The sizes that programs leave open with `None`.
_OPEN = [_BATCH]


def _free(name):
    size = free_size(name, 1)
    _OPEN.append(size)
    return size


def _is_open(size):
    """Whether a size is one that the program leaves open, `None` for Keras, or made of such."""
    return not is_known(size) and is_known(supposing([(one, 7919) for one in _OPEN], size))


def _made(shape, dtype=np.float32):
    return tensor(shape, dtype, _FAMILY)


def _tensor(value):
    """Numbers, lists and arrays as tensors of the library."""
    if isinstance(value, (tf.Tensor, tf.Variable)):
        return value
    return tf.convert_to_tensor(value)


def _taken(value):
    """What a layer is given: arrays become tensors, and floats of other widths those of the layer."""
    return tree_map(_taken_leaf, value)


def _taken_leaf(value):
    if isinstance(value, np.ndarray):
        return _made(value.shape, _layer_dtype(value))
    if isinstance(value, tf.Tensor) and value.dtype == np.float64:
        return _made(value.shape, np.float32)
    return value


def _layer_dtype(value):
    return np.float32 if value.dtype == np.float64 else value.dtype


def _dtype(dtype):
    if dtype is None or dtype == "float":
        return np.float32
    if dtype == "string":
        return None
    return dtype


def _several(value, count):
    """A number for each of several axes."""
    return (value,) * count if isinstance(value, int) else tuple(value)


def _with_batch(sizes, batch=None):
    """A shape of a program, whose open sizes are free."""
    first = _BATCH if batch is None else batch
    return (first,) + tuple([_size(size) for size in sizes])


def _size(size):
    # What an argument gives is a number until it is seen to be `None`.
    if not is_known(size is None):
        return size
    return _free("size") if size is None else size


def _shape_of(shape):
    """The sizes of a shape that a program writes, of which the first is the batch."""
    sizes = tuple(shape)
    return _with_batch(sizes[1:], sizes[0]) if len(sizes) > 0 else ()


def _shown(shape):
    """A shape as Keras shows it: with `None` for what is open."""
    return tuple([None if _is_open(size) else size for size in shape])


def _is_first(data_format):
    return data_format == "channels_first"


def _window(size, kernel, stride, dilation, padding):
    """How many places a window has along an axis; none of them is demanded here."""
    if padding == "same" or padding == "causal":
        return (size + stride - 1) // stride
    return (size - (kernel - 1) * dilation - 1) // stride + 1


def _product(sizes):
    total = 1
    for size in sizes:
        total = total * size
    return total


def _axis(axis, rank):
    return axis + rank if axis < 0 else axis

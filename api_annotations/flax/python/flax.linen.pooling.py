# Pools over windows in front of the last axis.
from flax.linen._windows import _windows, _with_windows
from harp_library import judge, require


def _pooled(inputs, window_shape, strides, padding):
    count = len(window_shape)
    if strides is None:
        strides = (1,) * count
    require(len(strides) == count, f"expected {count} strides, one for each axis of the window, got {len(strides)}")
    judge(inputs.ndim >= count + 1, f"the input of a pool with {count} window axes needs at least {count + 1} axes, got {inputs.ndim}")
    sizes = _windows(inputs, window_shape, strides, padding, (1,) * count, (1,) * count)
    return _with_windows(inputs, sizes, inputs.shape[-1], inputs.dtype)


def max_pool(inputs, window_shape, strides=None, padding="VALID"):
    return _pooled(inputs, window_shape, strides, padding)


def min_pool(inputs, window_shape, strides=None, padding="VALID"):
    return _pooled(inputs, window_shape, strides, padding)


def avg_pool(inputs, window_shape, strides=None, padding="VALID", count_include_pad=True):
    return _pooled(inputs, window_shape, strides, padding)


def pool(inputs, init, reduce_fn, window_shape, strides, padding):
    return _pooled(inputs, window_shape, strides, padding)

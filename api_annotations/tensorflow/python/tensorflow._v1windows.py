# Sizes of windows that slide over axes, for layers of version 1.
from harp_library import free_size, is_known, judge, require


def _each(value, count):
    """A size for each of the axes, from a number or one for each."""
    if isinstance(value, int):
        return (value,) * count
    value = tuple(value)
    return value * count if len(value) == 1 else value


def _windows(size, kernel, stride, dilation, padding):
    """How many windows there are along an axis."""
    if padding == "SAME":
        return (size + stride - 1) // stride
    reach = (kernel - 1) * dilation + 1
    judge(size >= reach, "the window is larger than the input")
    return (size - reach) // stride + 1


def _unfolded(size, kernel, stride, padding):
    """How many elements a transposed convolution makes along an axis."""
    if padding == "SAME":
        return size * stride
    return size * stride + max(kernel - stride, 0)


def _is_first(data_format):
    return data_format in ("channels_first", "NCHW", "NCW", "NCDHW")

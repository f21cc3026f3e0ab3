# Windows that slide over the axes between the batch and the channels: how large the result is.
from harp_library import require
from tensorflow._mode import in_graph
from tensorflow._shared import surely


def is_channels_first(data_format):
    return data_format is not None and data_format[:2] == "NC"


# A number for each of `count` axes of space, of one that a program gives for all, or of a list with those of batch and channels.
def for_each_axis(value, count, data_format=None):
    if value is None:
        return (1,) * count
    if surely(isinstance(value, int)):
        return (value,) * count
    value = tuple(value)
    if len(value) == count:
        return value
    if len(value) == 1:
        return value * count
    require(len(value) == count + 2, "there must be a number for each axis of space, or for each axis")
    return value[2:] if is_channels_first(data_format) else value[1:-1]


# Executed at once, a window that is a little larger than the input gives an empty result.
def window_count(size, window, stride, dilation, padding, around):
    reach = (window - 1) * dilation + 1
    if around is None and padding == "SAME":
        return (size + stride - 1) // stride
    if around is not None:
        size = size + around[0] + around[1]
    if in_graph():
        require(size >= reach, "the window is larger than the input")
        return (size - reach) // stride + 1
    require(size + 2 * stride > reach, "the window is larger than the input")
    return max(0, (size - reach) // stride + 1)


# The axes of space of the result.
def slid(space, windows, strides, dilations, padding, data_format=None):
    around = [None] * len(windows)
    if surely(isinstance(padding, (list, tuple))):
        around = padding[2:] if is_channels_first(data_format) else padding[1:-1]
    return tuple(
        window_count(space[place], windows[place], strides[place], dilations[place], padding, around[place]) for place in range(len(windows))
    )


# The shape of an input in its parts: batch, space, channels.
def parts(shape, count, data_format):
    if is_channels_first(data_format):
        return shape[:-count - 1], shape[-count:], shape[-count - 1]
    return shape[:-count - 1], shape[-count - 1:-1], shape[-1]


def together(batch, space, channels, data_format):
    if is_channels_first(data_format):
        return batch + (channels,) + space
    return batch + space + (channels,)

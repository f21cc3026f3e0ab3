# Sizes behind windows that move over an input: convolutions and pools.
from flax._shapes import with_1_window, with_2_windows, with_3_windows
from harp_library import is_known, require, tensor


def _each(value, count, default=1):
    # A number or nothing for all axes, or one number each.
    if value is None:
        return (default,) * count
    if isinstance(value, int):
        return (value,) * count
    require(len(value) == count, f"expected {count} numbers, one for each axis of the window, got {len(value)}")
    return tuple(value)


def _pads(padding, count):
    # What stands before and after each axis together, or the text.
    if isinstance(padding, str):
        return padding
    if isinstance(padding, int):
        return [2 * padding] * count
    require(len(padding) == count, f"expected padding for {count} axes, got {len(padding)}")
    return [2 * pad if isinstance(pad, int) else pad[0] + pad[1] for pad in padding]


def _dilated(size, dilation):
    return size if dilation == 1 else (size - 1) * dilation + 1


def _places(size, window, stride, padding):
    # How many places the window has, with padding a text or a number.
    if isinstance(padding, str):
        if padding.upper() == "VALID":
            return max(0, (size - window) // stride + 1)
        return (size + stride - 1) // stride
    return max(0, (size + padding - window) // stride + 1)


def _windows(inputs, windows, strides, padding, dilations, input_dilations):
    count = len(windows)
    pads = _pads(padding, count)
    sizes = []
    for axis in range(count):
        size = _dilated(inputs.shape[axis - count - 1], input_dilations[axis])
        pad = pads if isinstance(pads, str) else pads[axis]
        sizes.append(_places(size, _dilated(windows[axis], dilations[axis]), strides[axis], pad))
    return sizes


def _transposed(inputs, windows, strides, padding, dilations):
    count = len(windows)
    pads = _pads(padding, count)
    sizes = []
    for axis in range(count):
        size, window, stride = inputs.shape[axis - count - 1], _dilated(windows[axis], dilations[axis]), strides[axis]
        if isinstance(pads, str):
            sizes.append(size * stride if pads.upper() != "VALID" else size * stride + max(window - stride, 0))
        else:
            sizes.append(max(0, (size - 1) * stride + pads[axis] - window + 2))
    return sizes


def _with_windows(inputs, sizes, features, dtype):
    # The axes in front of the windows are as they were.
    if len(sizes) == 1:
        return with_1_window(inputs, sizes[0], features, dtype)
    if len(sizes) == 2:
        return with_2_windows(inputs, sizes[0], sizes[1], features, dtype)
    if len(sizes) == 3:
        return with_3_windows(inputs, sizes[0], sizes[1], sizes[2], features, dtype)
    return tensor(inputs.shape[: -len(sizes) - 1] + tuple(sizes) + (features,), dtype, "jax.Array")

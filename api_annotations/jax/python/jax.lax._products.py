# Products, windows and convolutions.
import math
import numpy as np
from harp_library import require, tensor, tree_map

_CLASS = "jax.Array"


def dot(lhs, rhs, precision=None, preferred_element_type=None, *, dimension_numbers=None, out_sharding=None):
    if dimension_numbers is not None:
        return dot_general(lhs, rhs, dimension_numbers, preferred_element_type=preferred_element_type)
    left, right = np.shape(lhs), np.shape(rhs)
    require(len(left) == 1 or len(left) == 2, "dot takes vectors and matrices")
    require(len(right) == 1 or len(right) == 2, "dot takes vectors and matrices")
    require(left[-1] == right[0], "the sizes that are summed over differ")
    return tensor(left[:-1] + right[1:], _dtype(lhs, rhs, preferred_element_type), _CLASS)


def _dtype(lhs, rhs, preferred):
    if preferred is not None:
        return preferred
    return lhs.dtype if lhs.dtype == rhs.dtype else None


def dot_general(lhs, rhs, dimension_numbers, precision=None, preferred_element_type=None, *, out_sharding=None):
    (left_summed, right_summed), (left_batch, right_batch) = dimension_numbers
    left, right = np.shape(lhs), np.shape(rhs)
    left_summed, right_summed = _places(left_summed, left), _places(right_summed, right)
    left_batch, right_batch = _places(left_batch, left), _places(right_batch, right)
    require(len(left_summed) == len(right_summed), "as many axes of one side are summed over as of the other")
    require(len(left_batch) == len(right_batch), "one side has as many batch axes as the other")
    for one, other in zip(left_summed, right_summed):
        require(left[one] == right[other], "the sizes that are summed over differ")
    for one, other in zip(left_batch, right_batch):
        require(left[one] == right[other], "the sizes of the batches differ")
    batch = tuple([left[place] for place in left_batch])
    rest_left = tuple([size for place, size in enumerate(left) if place not in left_summed and place not in left_batch])
    rest_right = tuple([size for place, size in enumerate(right) if place not in right_summed and place not in right_batch])
    return tensor(batch + rest_left + rest_right, _dtype(lhs, rhs, preferred_element_type), _CLASS)


def _places(axes, shape):
    places = []
    for axis in axes:
        require(axis < len(shape), "there is no such axis to sum over or to run along")
        require(axis >= -len(shape), "there is no such axis to sum over or to run along")
        places.append(axis + len(shape) if axis < 0 else axis)
    return places


def fft(x, fft_type, fft_lengths):
    return tensor(None, None, _CLASS)


def reduce(operands, init_values, computation, dimensions, out_sharding=None):
    def without(leaf):
        for axis in dimensions:
            require(axis < np.ndim(leaf), "there is no such axis to reduce")
        return tensor(tuple([size for place, size in enumerate(np.shape(leaf)) if place not in dimensions]), leaf.dtype, _CLASS)
    return tree_map(without, operands)


def _count(size, window, stride, padding, dilation=1):
    # How many windows fit; `padding` is a pair, or the name of a rule.
    reach = (window - 1) * dilation + 1
    if isinstance(padding, str):
        if padding.upper() == "SAME" or padding.upper() == "SAME_LOWER":
            return (size + stride - 1) // stride
        return max((size - reach) // stride + 1, 0)
    low, high = padding
    return max((size + low + high - reach) // stride + 1, 0)


def _spread(size, dilation):
    return max((size - 1) * dilation + 1, 0)


def reduce_window(operand, init_value, computation, window_dimensions, window_strides=None, padding="VALID", base_dilation=None, window_dilation=None):
    def windows(leaf):
        shape = np.shape(leaf)
        require(len(window_dimensions) == len(shape), "there must be a window size for each axis")
        strides = (1,) * len(shape) if window_strides is None else window_strides
        require(len(strides) == len(shape), "there must be a stride for each axis")
        base = (1,) * len(shape) if base_dilation is None else base_dilation
        dilation = (1,) * len(shape) if window_dilation is None else window_dilation
        paddings = [padding] * len(shape) if isinstance(padding, str) else padding
        require(len(paddings) == len(shape), "there must be a padding for each axis")
        sizes = [_count(_spread(size, base[i]), window_dimensions[i], strides[i], paddings[i], dilation[i]) for i, size in enumerate(shape)]
        return tensor(tuple(sizes), leaf.dtype, _CLASS)
    return tree_map(windows, operand)


_LETTERS = "DHW"


class ConvDimensionNumbers:
    def __init__(self, lhs_spec, rhs_spec, out_spec):
        self.lhs_spec, self.rhs_spec, self.out_spec = lhs_spec, rhs_spec, out_spec


def _spec(text, first, second):
    # The places of two letters, then those of the axes of space, in the order of the letters.
    return (text.index(first), text.index(second)) + tuple([place for place, letter in enumerate(text) if letter != first and letter != second])


def conv_dimension_numbers(lhs_shape, rhs_shape, dimension_numbers):
    require(len(lhs_shape) == len(rhs_shape), "the input and the kernel of a convolution must have the same number of axes")
    if isinstance(dimension_numbers, ConvDimensionNumbers):
        return dimension_numbers
    if dimension_numbers is None:
        plain = tuple(range(len(lhs_shape)))
        return ConvDimensionNumbers(plain, plain, plain)
    data, kernel, result = dimension_numbers
    if not isinstance(data, str):
        return ConvDimensionNumbers(data, kernel, result)
    require(len(data) == len(lhs_shape), "the letters of the input are not as many as its axes")
    require(len(kernel) == len(rhs_shape), "the letters of the kernel are not as many as its axes")
    return ConvDimensionNumbers(_spec(data, "N", "C"), _ordered(kernel, "O", "I", data), _ordered(result, "N", "C", data))


def _ordered(text, first, second, data):
    letters = [letter for letter in data if letter != "N" and letter != "C"]
    return (text.index(first), text.index(second)) + tuple([text.index(letter) for letter in letters])


def conv_general_dilated(lhs, rhs, window_strides, padding, lhs_dilation=None, rhs_dilation=None, dimension_numbers=None, feature_group_count=1,
                         batch_group_count=1, precision=None, preferred_element_type=None, out_sharding=None):
    data, kernel = np.shape(lhs), np.shape(rhs)
    require(len(data) == len(kernel), "the input and the kernel of a convolution must have the same number of axes")
    require(len(data) >= 2, "a convolution needs axes for the batch and the features")
    axes = len(data) - 2
    numbers = conv_dimension_numbers(data, kernel, dimension_numbers)
    require(len(window_strides) == axes, "there must be a stride for each axis of space")
    require(data[numbers.lhs_spec[1]] == kernel[numbers.rhs_spec[1]] * feature_group_count, "the features of the input do not fit those of the kernel")
    require(kernel[numbers.rhs_spec[0]] % feature_group_count == 0, "the output features do not divide into the groups")
    require(data[numbers.lhs_spec[0]] % batch_group_count == 0, "the batch does not divide into the groups")
    before = (1,) * axes if lhs_dilation is None else lhs_dilation
    within = (1,) * axes if rhs_dilation is None else rhs_dilation
    require(len(before) == axes, "there must be a dilation for each axis of space")
    require(len(within) == axes, "there must be a dilation for each axis of space")
    paddings = [padding] * axes if isinstance(padding, str) else padding
    require(len(paddings) == axes, "there must be a padding for each axis of space")
    found = {numbers.out_spec[0]: data[numbers.lhs_spec[0]] // batch_group_count, numbers.out_spec[1]: kernel[numbers.rhs_spec[0]]}
    for i in range(axes):
        size = _spread(data[numbers.lhs_spec[2 + i]], before[i])
        found[numbers.out_spec[2 + i]] = _count(size, kernel[numbers.rhs_spec[2 + i]], window_strides[i], paddings[i], within[i])
    return tensor(tuple([found[place] for place in range(len(data))]), _dtype(lhs, rhs, preferred_element_type), _CLASS)


def conv(lhs, rhs, window_strides, padding, precision=None, preferred_element_type=None):
    return conv_general_dilated(lhs, rhs, window_strides, padding, preferred_element_type=preferred_element_type)


def conv_with_general_padding(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, precision=None, preferred_element_type=None):
    return conv_general_dilated(lhs, rhs, window_strides, padding, lhs_dilation, rhs_dilation, preferred_element_type=preferred_element_type)


def _transposed(window, stride, padding):
    # How much is put around the input so that it grows by the stride.
    reach = window + stride - 2
    if padding.upper() == "SAME":
        before = window - 1 if stride > window - 1 else (reach + 1) // 2
    else:
        reach = reach + max(window - stride, 0)
        before = window - 1
    return before, reach - before


def conv_transpose(lhs, rhs, strides, padding, rhs_dilation=None, dimension_numbers=None, transpose_kernel=False, precision=None,
                   preferred_element_type=None, use_consistent_padding=False):
    data, kernel = np.shape(lhs), np.shape(rhs)
    require(len(data) == len(kernel), "the input and the kernel of a convolution must have the same number of axes")
    require(len(data) >= 2, "a convolution needs axes for the batch and the features")
    axes = len(data) - 2
    if dimension_numbers is None:
        dimension_numbers = ("NHWDC"[:1 + axes] + "C", "HWD"[:axes] + "IO", "NHWDC"[:1 + axes] + "C")
    numbers = conv_dimension_numbers(data, kernel, dimension_numbers)
    within = (1,) * axes if rhs_dilation is None else rhs_dilation
    windows = [(kernel[numbers.rhs_spec[2 + i]] - 1) * within[i] + 1 for i in range(axes)]
    if isinstance(padding, str):
        padding = [_transposed(windows[i], strides[i], padding) for i in range(axes)]
    if transpose_kernel:
        swapped = (numbers.rhs_spec[1], numbers.rhs_spec[0]) + tuple(numbers.rhs_spec[2:])
        numbers = ConvDimensionNumbers(numbers.lhs_spec, swapped, numbers.out_spec)
    return conv_general_dilated(lhs, rhs, (1,) * axes, padding, strides, rhs_dilation, numbers, preferred_element_type=preferred_element_type)


def conv_general_dilated_patches(lhs, filter_shape, window_strides, padding, lhs_dilation=None, rhs_dilation=None, dimension_numbers=None, precision=None,
                                 preferred_element_type=None):
    return tensor(None, lhs.dtype, _CLASS)

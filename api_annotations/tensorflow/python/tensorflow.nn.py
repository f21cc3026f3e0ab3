# Layers as functions: convolutions, pools, normalisation, look-ups.
from typing import NamedTuple

from harp_library import free_size, is_known, require
from tensorflow._core import as_tensor, broadcast
from tensorflow._ragged import RaggedTensor
from tensorflow._mode import judge_ranked
from tensorflow._shared import front_axis, made, require_whole, same_shape, sizes_of, surely
from tensorflow._types import common_dtype
from tensorflow._windows import for_each_axis, is_channels_first, parts, slid, together


def _convolved(input, filters, strides, padding, data_format, dilations, count, exact=False):
    dtype = common_dtype([input, filters])
    input, filters = as_tensor(input), as_tensor(filters)
    require(len(filters.shape) == count + 2, "the filters must have an axis for each axis of space, and two for channels")
    if exact:
        require(len(input.shape) == count + 2, "the input must have a batch, channels, and as many axes of space as the filters")
    else:
        require(len(input.shape) >= count + 2, "the input must have a batch, channels, and as many axes of space as the filters")
    if exact and not is_known(len(input.shape)):
        return made(tuple(free_size("size", 1) for axis in range(count + 1)) + filters.shape[-1:], dtype)
    batch, space, channels = parts(input.shape, count, data_format)
    require(channels % filters.shape[-2] == 0, "the channels of the input do not fit the filters")
    require(filters.shape[-1] % (channels // filters.shape[-2]) == 0, "the filters do not split into as many groups as the channels")
    strides, dilations = for_each_axis(strides, count, data_format), for_each_axis(dilations, count, data_format)
    space = slid(space, filters.shape[:count], strides, dilations, padding, data_format)
    return made(together(batch, space, filters.shape[-1], data_format), dtype)


def conv1d(input, filters, stride, padding, data_format="NWC", dilations=None, name=None):
    return _convolved(input, filters, stride, padding, data_format, dilations, 1)


def conv2d(input, filters, strides, padding, data_format="NHWC", dilations=None, name=None):
    return _convolved(input, filters, strides, padding, data_format, dilations, 2)


def conv3d(input, filters, strides, padding, data_format="NDHWC", dilations=None, name=None):
    return _convolved(input, filters, strides, padding, data_format, dilations, 3, True)


def _unless_text(value):
    return None if surely(isinstance(value, str)) else value


def _old_strides(value, count):
    # Strides that are given by their keyword behind a padding without one do not arrive here.
    return tuple(free_size("stride", 1) for _ in range(count)) if value is None or surely(isinstance(value, str)) else value


def convolution(input, filters, strides=None, padding="VALID", data_format=None, dilations=None, name=None):
    if surely(isinstance(strides, str)):
        # Version 1 has the padding before the strides, and what is dilated and the name before the format.
        strides, padding = _old_strides(padding, len(as_tensor(filters).shape) - 2), strides
        dilations, data_format = _unless_text(data_format) or _unless_text(dilations), name
    filters = as_tensor(filters)
    return _convolved(input, filters, strides, padding, data_format, dilations, len(filters.shape) - 2)


def atrous_conv2d(value, filters, rate, padding, name=None):
    return _convolved(value, filters, 1, padding, "NHWC", rate, 2)


def _depthwise(input, filter, strides, padding, data_format, dilations):
    input, filter = as_tensor(input), as_tensor(filter)
    require(len(input.shape) == 4, "the input must have four axes")
    require(len(filter.shape) == 4, "the filter must have four axes")
    batch, space, channels = parts(input.shape, 2, data_format)
    require(channels == filter.shape[2], "the channels of the input do not fit the filter")
    strides, dilations = for_each_axis(strides, 2, data_format), for_each_axis(dilations, 2, data_format)
    space = slid(space, filter.shape[:2], strides, dilations, padding, data_format)
    return together(batch, space, channels * filter.shape[3], data_format)


def depthwise_conv2d(input, filter, strides, padding, data_format=None, dilations=None, name=None):
    return made(_depthwise(input, filter, strides, padding, data_format, dilations), as_tensor(input).dtype)


def separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, data_format=None, dilations=None, name=None):
    shape = _depthwise(input, depthwise_filter, strides, padding, data_format, dilations)
    batch, space, channels = parts(shape, 2, data_format)
    pointwise = as_tensor(pointwise_filter)
    require(len(pointwise.shape) == 4, "the pointwise filter must have four axes")
    require(pointwise.shape[0] == 1, "the pointwise filter must be of size 1")
    require(pointwise.shape[1] == 1, "the pointwise filter must be of size 1")
    require(pointwise.shape[2] == channels, "the pointwise filter does not fit the channels")
    return made(together(batch, space, pointwise.shape[3], data_format), as_tensor(input).dtype)


# `output_shape` says how large the result is; a convolution of it must give the input's size.
def _transposed(input, filters, output_shape, strides, padding, data_format, dilations, count):
    input, filters = as_tensor(input), as_tensor(filters)
    require(len(input.shape) == count + 2, "the input must have a batch, channels, and as many axes of space as the filters")
    require(len(filters.shape) == count + 2, "the filters must have an axis for each axis of space, and two for channels")
    output = sizes_of(output_shape)
    if surely(isinstance(output, (list, tuple))):
        require(len(output) == count + 2, "the output's shape must have as many axes as the input")
    batch, space, channels = parts(input.shape, count, data_format)
    require(channels == filters.shape[-1], "the channels of the input do not fit the filters")
    if surely(isinstance(output, (list, tuple))):
        made_batch, made_space, made_channels = parts(output, count, data_format)
        require(made_channels == filters.shape[-2], "the channels of the output do not fit the filters")
        require(made_batch[0] == batch[0], "the output must have the batch of the input")
        strides, dilations = for_each_axis(strides, count, data_format), for_each_axis(dilations, count, data_format)
        same_shape(slid(made_space, filters.shape[:count], strides, dilations, padding, data_format), space,
                   "a convolution of the output does not give the size of the input")
        return made(output, input.dtype)
    return made(None, input.dtype)


def conv1d_transpose(input, filters, output_shape, strides, padding="SAME", data_format="NWC", dilations=None, name=None):
    return _transposed(input, filters, output_shape, strides, padding, data_format, dilations, 1)


def conv2d_transpose(input, filters, output_shape, strides, padding="SAME", data_format="NHWC", dilations=None, name=None):
    return _transposed(input, filters, output_shape, strides, padding, data_format, dilations, 2)


def conv3d_transpose(input, filters, output_shape, strides, padding="SAME", data_format="NDHWC", dilations=None, name=None):
    return _transposed(input, filters, output_shape, strides, padding, data_format, dilations, 3)


def _pooled(input, ksize, strides, padding, data_format, count, dilations=1):
    input = as_tensor(input)
    require(len(input.shape) == count + 2, "the input must have a batch, channels, and the axes of space")
    batch, space, channels = parts(input.shape, count, data_format)
    windows, strides = for_each_axis(ksize, count, data_format), for_each_axis(strides, count, data_format)
    space = slid(space, windows, strides, for_each_axis(dilations, count, data_format), padding, data_format)
    return made(together(batch, space, channels, data_format), input.dtype)


def max_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):
    return _pooled(input, ksize, strides, padding, data_format, 1)


def max_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None):
    return _pooled(input, ksize, strides, padding, data_format, 2)


def max_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
    return _pooled(input, ksize, strides, padding, data_format, 3)


def avg_pool1d(input, ksize, strides, padding, data_format="NWC", name=None):
    return _pooled(input, ksize, strides, padding, data_format, 1)


def avg_pool2d(input, ksize, strides, padding, data_format="NHWC", name=None):
    return _pooled(input, ksize, strides, padding, data_format, 2)


def avg_pool3d(input, ksize, strides, padding, data_format="NDHWC", name=None):
    return _pooled(input, ksize, strides, padding, data_format, 3)


def max_pool(input, ksize, strides, padding, data_format=None, name=None):
    input = as_tensor(input)
    judge_ranked(input, "the input of a pool")
    rank = len(input.shape)
    require(rank >= 3, "a pool takes a batch, channels, and one to three axes of space")
    require(rank <= 5, "a pool takes a batch, channels, and one to three axes of space")
    return _pooled(input, ksize, strides, padding, data_format, rank - 2)


def avg_pool(input, ksize, strides, padding, data_format=None, name=None):
    return max_pool(input, ksize, strides, padding, data_format)


def max_pool_with_argmax(input, ksize, strides, padding, data_format="NHWC", output_dtype="int64", include_batch_in_index=False, name=None):
    result = _pooled(input, ksize, strides, padding, data_format, 2)
    return result, made(result.shape, output_dtype)


def pool(input, window_shape, pooling_type, strides=None, padding="VALID", data_format=None, dilations=None, name=None):
    if surely(isinstance(strides, str)):
        # Version 1: the padding, what is dilated, the strides, the name, the format.
        text = strides
        strides, dilations = _old_strides(data_format, len(window_shape)), _unless_text(padding) or _unless_text(dilations)
        padding, data_format = text, name
    return _pooled(input, window_shape, strides, padding, data_format, len(window_shape), dilations)


def bias_add(value, bias, data_format=None, name=None):
    value, bias = as_tensor(value), as_tensor(bias)
    require(len(value.shape) >= 2, "the value must have at least two axes")
    require(len(bias.shape) == 1, "the bias must be a vector")
    channels = value.shape[1] if is_channels_first(data_format) else value.shape[-1]
    require(bias.shape[0] == channels, "the bias must have a number for each channel")
    return made(value.shape, value.dtype)


def batch_normalization(x, mean, variance, offset, scale, variance_epsilon, name=None):
    x = as_tensor(x)
    shape = broadcast(x, mean, variance).shape
    if offset is not None:
        shape = broadcast(made(shape), offset, 0.0).shape
    if scale is not None:
        shape = broadcast(made(shape), scale, 0.0).shape
    return made(shape, x.dtype)


def moments(x, axes, shift=None, keepdims=False, name=None):
    x = as_tensor(x)
    reduced = _reduced(x.shape, axes, keepdims)
    return made(reduced, x.dtype), made(reduced, x.dtype)


def weighted_moments(x, axes, frequency_weights, keepdims=False, name=None):
    x = as_tensor(x)
    broadcast(x, frequency_weights, 0.0)
    reduced = _reduced(x.shape, axes, keepdims)
    return made(reduced, x.dtype), made(reduced, x.dtype)


def _reduced(shape, axes, keepdims):
    axes = [axes] if surely(isinstance(axes, int)) else list(axes)
    places = [front_axis(axis, len(shape)) for axis in axes]
    if keepdims:
        return tuple(1 if place in places else size for place, size in enumerate(shape))
    return tuple(size for place, size in enumerate(shape) if place not in places)


def crelu(features, axis=-1, name=None):
    features = as_tensor(features)
    place = front_axis(axis, len(features.shape))
    return made(features.shape[:place] + (2 * features.shape[place],) + features.shape[place + 1:], features.dtype)


def dropout(x, rate, noise_shape=None, seed=None, name=None):
    x = as_tensor(x)
    if surely(isinstance(noise_shape, (list, tuple))):
        require(len(noise_shape) <= len(x.shape), "the shape of the noise has more axes than the tensor")
        for place in range(len(noise_shape)):
            size = noise_shape[len(noise_shape) - 1 - place]
            if size is not None:
                require(size == 1 or size == x.shape[len(x.shape) - 1 - place], "the noise does not broadcast to the tensor")
    return made(x.shape, x.dtype)


def top_k(input, k=1, sorted=True, index_type="int32", name=None):
    input = as_tensor(input)
    require(len(input.shape) >= 1, "there must be an axis to look along")
    require(k <= input.shape[-1], "there are fewer items than are asked for")
    shape = input.shape[:-1] + (k,)
    return TopKV2(made(shape, input.dtype), made(shape, index_type))


class TopKV2(NamedTuple):
    values: object
    indices: object


def embedding_lookup(params, ids, max_norm=None, name=None):
    table = as_tensor(params[0] if surely(isinstance(params, (list, tuple))) else params)
    if surely(isinstance(ids, RaggedTensor)):
        return RaggedTensor(embedding_lookup(table, ids.values), ids.rows_, ids.longest_)
    ids = as_tensor(ids)
    require_whole(ids)
    require(len(table.shape) >= 1, "the table must have rows")
    return made(ids.shape + table.shape[1:], table.dtype)


def embedding_lookup_sparse(params, sp_ids, sp_weights=None, combiner=None, max_norm=None, name=None, allow_fast_lookup=False):
    table = as_tensor(params[0] if surely(isinstance(params, (list, tuple))) else params)
    return made((sp_ids.dense_shape_[0],) + table.shape[1:], table.dtype)


def safe_embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights=None, combiner="mean", default_id=None, max_norm=None, name=None,
                                 allow_fast_lookup=False):
    return embedding_lookup_sparse(embedding_weights, sparse_ids)


def space_to_depth(input, block_size, data_format="NHWC", name=None):
    input = as_tensor(input)
    require(len(input.shape) == 4, "the input must have four axes")
    batch, space, channels = parts(input.shape, 2, data_format)
    require(block_size >= 2, "a block must be of size 2 at least")
    require(space[0] % block_size == 0, "the height does not split into blocks")
    require(space[1] % block_size == 0, "the width does not split into blocks")
    space = (space[0] // block_size, space[1] // block_size)
    return made(together(batch, space, channels * block_size * block_size, data_format), input.dtype)


def depth_to_space(input, block_size, data_format="NHWC", name=None):
    input = as_tensor(input)
    require(len(input.shape) == 4, "the input must have four axes")
    batch, space, channels = parts(input.shape, 2, data_format)
    require(block_size >= 2, "a block must be of size 2 at least")
    require(channels % (block_size * block_size) == 0, "the channels do not make blocks")
    space = (space[0] * block_size, space[1] * block_size)
    return made(together(batch, space, channels // (block_size * block_size), data_format), input.dtype)

# Gathering and scattering by index, and segments.
from harp_library import free_size, require
from tensorflow._core import as_tensor
from tensorflow._ragged import RaggedTensor
from tensorflow._shared import front_axis, made, require_whole, same_shape, sizes_of, surely


def gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    if surely(isinstance(indices, RaggedTensor)):
        return RaggedTensor(gather(params, indices.values), indices.rows_, indices.longest_)
    params, indices = as_tensor(params), as_tensor(indices)
    require_whole(indices)
    rank = len(params.shape)
    require(rank >= 1, "there must be an axis to gather from")
    batch = batch_dims if batch_dims >= 0 else batch_dims + len(indices.shape)
    place = batch if axis is None else front_axis(axis, rank)
    require(batch <= place, "the axis must not be before the batch's")
    require(batch <= len(indices.shape), "the indices have fewer axes than the batch")
    for index in range(batch):
        require(params.shape[index] == indices.shape[index], "the axes of the batch differ")
    return made(params.shape[:place] + indices.shape[batch:] + params.shape[place + 1:], params.dtype)


def gather_nd(params, indices, batch_dims=0, name=None):
    params, indices = as_tensor(params), as_tensor(indices)
    require_whole(indices)
    require(len(indices.shape) >= 1, "the indices must have an axis")
    depth = indices.shape[-1]
    require(batch_dims + depth <= len(params.shape), "an index is longer than the tensor has axes")
    for index in range(batch_dims):
        require(params.shape[index] == indices.shape[index], "the axes of the batch differ")
    return made(indices.shape[:-1] + params.shape[batch_dims + depth:], params.dtype)


def same_updates(indices, updates, shape):
    require(len(indices.shape) >= 1, "the indices must have an axis")
    depth = indices.shape[-1]
    require(depth <= len(shape), "an index is longer than the tensor has axes")
    same_shape(updates.shape, indices.shape[:-1] + shape[depth:], "the updates do not fit the indices and the shape")


def scatter_nd(indices, updates, shape, name=None):
    indices, updates = as_tensor(indices), as_tensor(updates)
    require_whole(indices)
    shape = sizes_of(shape)
    if surely(isinstance(shape, (list, tuple))):
        same_updates(indices, updates, tuple(shape))
        return made(shape, updates.dtype)
    return made(None, updates.dtype)


def tensor_scatter_nd_update(tensor, indices, updates, name=None):
    tensor, indices, updates = as_tensor(tensor), as_tensor(indices), as_tensor(updates)
    require_whole(indices)
    same_updates(indices, updates, tensor.shape)
    return made(tensor.shape, tensor.dtype)


def tensor_scatter_nd_add(tensor, indices, updates, name=None):
    return tensor_scatter_nd_update(tensor, indices, updates)


def tensor_scatter_nd_sub(tensor, indices, updates, name=None):
    return tensor_scatter_nd_update(tensor, indices, updates)


def tensor_scatter_nd_max(tensor, indices, updates, name=None):
    return tensor_scatter_nd_update(tensor, indices, updates)


def tensor_scatter_nd_min(tensor, indices, updates, name=None):
    return tensor_scatter_nd_update(tensor, indices, updates)


def dynamic_partition(data, partitions, num_partitions, name=None):
    data, parts = as_tensor(data), as_tensor(partitions)
    rank = len(parts.shape)
    same_shape(data.shape[:rank], parts.shape, "the partitions do not fit the data")
    rest = data.shape[rank:]
    if surely(isinstance(partitions, (list, tuple))) and surely(all(surely(isinstance(part, int)) for part in partitions)):
        return [made((sum(1 for part in partitions if part == index),) + rest, data.dtype) for index in range(num_partitions)]
    return [made((free_size("part", 0),) + rest, data.dtype) for index in range(num_partitions)]


def dynamic_stitch(indices, data, name=None):
    first, place = as_tensor(data[0]), as_tensor(indices[0])
    return made((free_size("stitched", 0),) + first.shape[len(place.shape):], first.dtype)


# How many segments there are, their numbers tell.
def _segments(data, segment_ids):
    data, numbers = as_tensor(data), as_tensor(segment_ids)
    require(len(numbers.shape) == 1, "the numbers of the segments must be a vector")
    require(len(data.shape) >= 1, "the data must have an axis")
    require(numbers.shape[0] == data.shape[0], "there must be the number of a segment for each item")
    if surely(isinstance(segment_ids, (list, tuple))) and len(segment_ids) > 0 and surely(isinstance(segment_ids[-1], int)):
        return made((segment_ids[-1] + 1,) + data.shape[1:], data.dtype)
    return made((free_size("segments", 0),) + data.shape[1:], data.dtype)


def segment_sum(data, segment_ids, name=None):
    return _segments(data, segment_ids)


def segment_mean(data, segment_ids, name=None):
    return _segments(data, segment_ids)


def segment_max(data, segment_ids, name=None):
    return _segments(data, segment_ids)


def segment_min(data, segment_ids, name=None):
    return _segments(data, segment_ids)


def segment_prod(data, segment_ids, name=None):
    return _segments(data, segment_ids)


def _unsorted_segments(data, segment_ids, num_segments):
    data, numbers = as_tensor(data), as_tensor(segment_ids)
    rank = len(numbers.shape)
    require(rank <= len(data.shape), "the numbers of the segments have more axes than the data")
    same_shape(data.shape[:rank], numbers.shape, "there must be the number of a segment for each item")
    return made((num_segments,) + data.shape[rank:], data.dtype)


def unsorted_segment_sum(data, segment_ids, num_segments, name=None):
    return _unsorted_segments(data, segment_ids, num_segments)


def unsorted_segment_mean(data, segment_ids, num_segments, name=None):
    return _unsorted_segments(data, segment_ids, num_segments)


def unsorted_segment_max(data, segment_ids, num_segments, name=None):
    return _unsorted_segments(data, segment_ids, num_segments)


def unsorted_segment_min(data, segment_ids, num_segments, name=None):
    return _unsorted_segments(data, segment_ids, num_segments)


def unsorted_segment_prod(data, segment_ids, num_segments, name=None):
    return _unsorted_segments(data, segment_ids, num_segments)


def unsorted_segment_sqrt_n(data, segment_ids, num_segments, name=None):
    return _unsorted_segments(data, segment_ids, num_segments)

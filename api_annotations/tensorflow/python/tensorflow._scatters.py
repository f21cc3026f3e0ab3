# Gathering and scattering by index, and segments.
from harp_library import free_size, require
from tensorflow._core import as_tensor
from tensorflow._shared import front_axis, made, sizes_of


def gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    params, indices = as_tensor(params), as_tensor(indices)
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
    require(len(indices.shape) >= 1, "the indices must have an axis")
    depth = indices.shape[-1]
    require(batch_dims + depth <= len(params.shape), "an index is longer than the tensor has axes")
    for index in range(batch_dims):
        require(params.shape[index] == indices.shape[index], "the axes of the batch differ")
    return made(indices.shape[:-1] + params.shape[batch_dims + depth:], params.dtype)

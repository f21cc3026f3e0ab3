# Functions of ragged tensors.
from harp_library import free_size, require
from tensorflow._core import as_tensor
from tensorflow._ragged import RaggedTensor
from tensorflow._shared import made, same_shape, surely


# How deep the rows are, the first of them tells that has any.
def constant(pylist, dtype=None, ragged_rank=None, inner_shape=None, name=None, row_splits_dtype="int64"):
    if surely(isinstance(pylist, (list, tuple))) and any(surely(isinstance(row, (list, tuple))) for row in pylist):
        items = [item for row in pylist for item in row]
        if any(surely(isinstance(item, (list, tuple))) for item in items):
            return RaggedTensor(constant(items, dtype), len(pylist))
        flat = as_tensor(items, dtype) if len(items) > 0 else made((0,), "float32" if dtype is None else dtype)
        return RaggedTensor(flat, len(pylist), max(len(row) for row in pylist))
    return as_tensor(pylist, dtype)


def stack(values, axis=0, name=None):
    first = as_tensor(values[0])
    return RaggedTensor(made((free_size("values", 0),) + first.shape[1:], first.dtype), len(values))


def boolean_mask(data, mask, name=None):
    if surely(isinstance(data, RaggedTensor)):
        return RaggedTensor(data.values, data.rows_)
    data, mask = as_tensor(data), as_tensor(mask)
    rank = len(mask.shape)
    require(rank >= 1, "the mask must not be a scalar")
    require(rank <= len(data.shape), "the mask has more axes than the data")
    same_shape(data.shape[:rank], mask.shape, "the mask does not fit the data")
    if rank == 1:
        return made((free_size("chosen", 0),) + data.shape[1:], data.dtype)
    return RaggedTensor(made((free_size("chosen", 0),) + data.shape[rank:], data.dtype), data.shape[0])


def range(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype="int64"):
    starts = as_tensor(starts)
    rows = starts.shape[0] if len(starts.shape) > 0 else free_size("rows", 1)
    return RaggedTensor(made((free_size("values", 0),), starts.dtype if dtype is None else dtype), rows)


def map_flat_values(op, *args, **kwargs):
    result = op(*[item.flat_values if surely(isinstance(item, RaggedTensor)) else item for item in args], **kwargs)
    for item in args:
        if surely(isinstance(item, RaggedTensor)):
            return RaggedTensor(as_tensor(result), item.rows_)
    return result


def row_splits_to_segment_ids(splits, name=None, out_type=None):
    return made((free_size("values", 0),), "int64")


def segment_ids_to_row_splits(segment_ids, num_segments=None, out_type=None, name=None):
    return made((free_size("splits", 1),), "int64")


def stack_dynamic_partitions(data, partitions, num_partitions, name=None):
    data, parts = as_tensor(data), as_tensor(partitions)
    return RaggedTensor(made((free_size("values", 0),) + data.shape[len(parts.shape):], data.dtype), num_partitions)


def cross(inputs, name=None):
    return RaggedTensor(made((free_size("values", 0),), None), free_size("rows", 0))

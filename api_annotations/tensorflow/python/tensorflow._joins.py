# Functions of shapes and axes that a signature cannot tell.
import builtins

from harp_library import free_size, is_known, left_open, require
from tensorflow._core import as_tensor, broadcast, parts as _parts, squeeze as _squeeze
from tensorflow._mode import in_graph, is_version_1, judge_defined
from tensorflow._shared import front_axis, made, require_whole, same_shape, sizes_of, surely
from tensorflow._sizes import Sizes
from tensorflow._types import common_dtype
from tensorflow._v1select import select


def split(value, num_or_size_splits, axis=0, num=None, name="split"):
    value = as_tensor(value)
    place = front_axis(axis, len(value.shape))
    shape = value.shape
    size = shape[place]
    if surely(isinstance(num_or_size_splits, int)):
        require(num_or_size_splits >= 1, "there must be at least one part")
        require(size % num_or_size_splits == 0, "the axis does not split into as many equal parts")
        part = made(shape[:place] + (size // num_or_size_splits,) + shape[place + 1:], value.dtype)
        return [part for index in range(num_or_size_splits)]
    known = sum(part for part in num_or_size_splits if part != -1)
    if any(part == -1 for part in num_or_size_splits):
        require(known <= size, "the parts are larger than the axis")
    else:
        require(known == size, "the sizes of the parts do not add up to the axis")
    rest = size - known
    return [made(shape[:place] + (rest if part == -1 else part,) + shape[place + 1:], value.dtype) for part in num_or_size_splits]


def tile(input, multiples, name=None):
    input = as_tensor(input)
    multiples = tuple(multiples)
    require(len(multiples) == len(input.shape), "tile takes as many multiples as the tensor has axes")
    return made(tuple(size * many for size, many in zip(input.shape, multiples)), input.dtype)


def pad(tensor, paddings, mode="CONSTANT", constant_values=0, name=None):
    value = as_tensor(tensor)
    paddings = list(paddings)
    require(len(paddings) == len(value.shape), "pad takes a pair for each axis")
    sizes = []
    for size, (before, after) in zip(value.shape, paddings):
        require(before >= 0, "a padding must not be negative")
        require(after >= 0, "a padding must not be negative")
        if mode == "REFLECT" or mode == "reflect":
            require(before < size, "a reflected padding must be smaller than the axis")
            require(after < size, "a reflected padding must be smaller than the axis")
        if mode == "SYMMETRIC" or mode == "symmetric":
            require(before <= size, "a symmetric padding must not be larger than the axis")
            require(after <= size, "a symmetric padding must not be larger than the axis")
        sizes.append(size + before + after)
    return made(tuple(sizes), value.dtype)


def slice(input_, begin, size, name=None):
    value = as_tensor(input_)
    require(len(begin) == len(value.shape), "slice takes a beginning for each axis")
    require(len(size) == len(value.shape), "slice takes a size for each axis")
    sizes = []
    for start, count, whole in zip(begin, size, value.shape):
        require(start >= 0, "a slice must not begin before the tensor")
        if count == -1:
            require(start <= whole, "the slice begins behind the tensor")
            sizes.append(whole - start)
        else:
            require(count >= 0, "the size of a slice must not be negative")
            require(start + count <= whole, "the slice goes beyond the tensor")
            sizes.append(count)
    return made(tuple(sizes), value.dtype)


def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    indices = as_tensor(indices)
    require_whole(indices)
    rank = len(indices.shape)
    require(depth >= 0, "the depth must not be negative")
    if dtype is None:
        dtype = "float32" if on_value is None else as_tensor(on_value).dtype
    if axis is None or axis == -1:
        return made(indices.shape + (depth,), dtype)
    require(axis >= 0, "the axis is out of range")
    require(axis <= rank, "the axis is out of range")
    return made(indices.shape[:axis] + (depth,) + indices.shape[axis:], dtype)


def where(condition, x=None, y=None, name=None):
    if is_version_1():
        return select(condition, x, y)
    condition = as_tensor(condition)
    if x is None:
        return made((free_size("found", 0), len(condition.shape)), "int64")
    if _chooses_rows(condition, as_tensor(x), as_tensor(y)):
        return made(None, common_dtype([x, y]))
    return made(broadcast(condition, x, y).shape, common_dtype([x, y]))


# A truth value for each row chooses among the rows in version 1, and is broadcast along them in version 2: which version it is, is not known.
def _chooses_rows(condition, x, y):
    if not surely(len(condition.shape) == 1) or not surely(len(x.shape) >= 2) or not surely(len(x.shape) == len(y.shape)):
        return False
    return surely(condition.shape[0] == x.shape[0]) and surely(x.shape == y.shape)


def broadcast_to(input, shape, name=None):
    input = as_tensor(input)
    wanted = sizes_of(shape)
    rank = len(input.shape)
    require(rank <= len(wanted), "the tensor has more axes than the shape")
    offset = len(wanted) - rank
    for place in range(rank):
        size = input.shape[place]
        require(size == 1 or size == wanted[offset + place], "the tensor does not broadcast to the shape")
    return made(wanted, input.dtype)


def repeat(input, repeats, axis=None, name=None):
    input = as_tensor(input)
    shape = input.shape
    if axis is None:
        count = 1
        for size in shape:
            count = count * size
        return made((_repeated(count, repeats),), input.dtype)
    place = front_axis(axis, len(shape))
    return made(shape[:place] + (_repeated(shape[place], repeats),) + shape[place + 1:], input.dtype)


def _repeated(size, repeats):
    if surely(isinstance(repeats, int)):
        return size * repeats
    if surely(isinstance(repeats, (list, tuple))):
        if len(repeats) == 1:
            return size * repeats[0]
        require(len(repeats) == size, "there must be a number of repetitions for each item")
        return sum(repeats)
    return free_size("repeated", 0)


def boolean_mask(tensor, mask, axis=None, name="boolean_mask"):
    value, mask = as_tensor(tensor), as_tensor(mask)
    rank = len(mask.shape)
    require(rank >= 1, "the mask must not be a scalar")
    place = front_axis(0 if axis is None else axis, len(value.shape))
    require(place + rank <= len(value.shape), "the mask has more axes than the tensor")
    for index in range(rank):
        require(mask.shape[index] == value.shape[place + index], "the mask does not fit the tensor")
    return made(value.shape[:place] + (free_size("chosen", 0),) + value.shape[place + rank:], value.dtype)


def roll(input, shift, axis, name=None):
    input = as_tensor(input)
    if surely(isinstance(axis, int)):
        front_axis(axis, len(input.shape))
    elif surely(isinstance(axis, (list, tuple))):
        for one in axis:
            front_axis(one, len(input.shape))
        if surely(isinstance(shift, (list, tuple))):
            require(len(shift) == len(axis), "there must be a shift for each axis")
    return made(input.shape, input.dtype)


def meshgrid(*args, indexing="xy", name=None):
    tensors = [as_tensor(item) for item in args]
    sizes = []
    for item in tensors:
        require(len(item.shape) <= 1, "meshgrid takes vectors")
        sizes.append(item.shape[0] if len(item.shape) == 1 else 1)
    if indexing == "xy" and len(sizes) > 1:
        sizes[0], sizes[1] = sizes[1], sizes[0]
    return [made(tuple(sizes), item.dtype) for item in tensors]


def ensure_shape(x, shape, name=None):
    x = as_tensor(x)
    if not surely(isinstance(shape, (list, tuple))):
        return x
    if not is_known(len(x.shape)):
        return made(sizes_of(shape), x.dtype)
    require(len(shape) == len(x.shape), "the tensor has another number of axes than the shape")
    for own, wanted in zip(x.shape, shape):
        if wanted is not None:
            require(own == wanted, "the tensor has another shape than it must have")
    return made(tuple(own if wanted is None else wanted for own, wanted in zip(x.shape, shape)), x.dtype)


def squeeze(input, axis=None, name=None, squeeze_dims=None):
    input = as_tensor(input)
    axis = squeeze_dims if axis is None else axis
    if axis is None:
        return _squeeze(input)
    axes = [axis] if surely(isinstance(axis, int)) else list(axis)
    if len(axes) == 0:
        return _squeeze(input)
    places = [front_axis(one, len(input.shape)) for one in axes]
    for place in places:
        require(input.shape[place] == 1, "an axis that is squeezed must have the size 1")
    return made(tuple(size for place, size in enumerate(input.shape) if place not in places), input.dtype)


def unique(x, out_idx="int32", name=None):
    x = as_tensor(x)
    require(len(x.shape) == 1, "unique takes a vector")
    return made((free_size("unique", 0),), x.dtype), made(x.shape, out_idx)


def unique_with_counts(x, out_idx="int32", name=None):
    x = as_tensor(x)
    require(len(x.shape) == 1, "unique takes a vector")
    count = free_size("unique", 0)
    return made((count,), x.dtype), made(x.shape, out_idx), made((count,), out_idx)


def strided_slice(input_, begin, end, strides=None, begin_mask=0, end_mask=0, ellipsis_mask=0, new_axis_mask=0, shrink_axis_mask=0, var=None, name=None):
    value = as_tensor(input_)
    require(len(begin) == len(end), "there must be an end for each beginning")
    require(len(begin) <= len(value.shape), "there are more slices than axes")
    if ellipsis_mask or new_axis_mask:
        return made(None, value.dtype)
    index, bit = [], 1
    for place in range(len(begin)):
        first = None if begin_mask // bit % 2 else begin[place]
        last = None if end_mask // bit % 2 else end[place]
        step = 1 if strides is None else strides[place]
        index.append(begin[place] if shrink_axis_mask // bit % 2 else builtins.slice(first, last, step))
        bit = 2 * bit
    return value[tuple(index)]


def stack(values, axis=0, name="stack"):
    if surely(isinstance(values, (list, tuple))):
        if surely(len(values) > 0) and surely(all(surely(isinstance(item, int)) for item in values)):
            return Sizes(values)
        tensors = [as_tensor(item) for item in values]
        first = tensors[0]
        for item in tensors:
            same_shape(item.shape, first.shape, "all tensors must have the same shape")
        shape, count, dtype = first.shape, len(tensors), common_dtype(values)
    else:
        first = as_tensor(values)
        shape, count, dtype = first.shape[1:], first.shape[0], first.dtype
    place = front_axis(axis, len(shape) + 1, "the result")
    return made(shape[:place] + (count,) + shape[place:], dtype)


def unstack(value, num=None, axis=0, name="unstack"):
    value = as_tensor(value)
    if not is_known(len(value.shape)):
        return _parts(value, axis)
    place = front_axis(axis, len(value.shape))
    count, rest = value.shape[place], value.shape[:place] + value.shape[place + 1:]
    if num is None:
        if in_graph():
            judge_defined(count, "as many tensors are made as the graph knows the axis to have; here it is `None`, and `num` is not given")
        return _parts(value, axis)
    if not left_open(count):
        require(count == num, "the axis does not have `num` items")
    return [made(rest, value.dtype) for _ in builtins.range(num)]

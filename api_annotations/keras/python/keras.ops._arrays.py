# Functions of `keras.ops` that make tensors, and those whose shapes depend on more than their operands.
import numpy as np
import tensorflow as tf
from harp_library import free_size, is_known, judge, require
from keras._core import matmul as _product
from keras._joins import _alike, _joined, _one_of
from keras._shapes import _axis, _is_open, _made, _several, _tensor, _window


def matmul(x1, x2):
    left, right = _tensor(x1), _tensor(x2)
    if is_known(left.ndim) and is_known(right.ndim) and left.ndim >= 1 and right.ndim in (1, 2):
        if _is_open(right.shape[0]) and not _is_open(left.shape[-1]):
            # Where a batch meets features it has as many examples, in this product alone.
            right = _made((left.shape[-1],) + right.shape[1:], right.dtype)
    return _product(left, right)


def convert_to_tensor(x, dtype=None, sparse=None, ragged=None):
    x = _tensor(x)
    return x if dtype is None else tf.cast(x, dtype)


def array(x, dtype=None):
    x = _tensor(x)
    return x if dtype is None else tf.cast(x, dtype)


def full(shape, fill_value, dtype=None):
    sizes = (shape,) if isinstance(shape, int) else tuple(shape)
    return _made(sizes, np.float32 if dtype is None else dtype)


def arange(start, stop=None, step=None, dtype=None):
    if stop is None:
        start, stop = 0, start
    step = 1 if step is None else step
    kind = dtype
    if isinstance(start, int) and isinstance(stop, int) and isinstance(step, int):
        kind = np.int32 if dtype is None else dtype
        count = -((start - stop) // step)
        return _made((max(count, 0),), kind)
    return _made((free_size("steps", 0),), kind)


def linspace(start, stop, num=50, endpoint=True, retstep=False, dtype=None, axis=0):
    start, stop = _tensor(start), _tensor(stop)
    both = tf.broadcast_static_shape(start.shape, stop.shape) if start.ndim + stop.ndim > 0 else ()
    place = _axis(axis, len(both) + 1)
    return _made(tuple(both[:place]) + (num,) + tuple(both[place:]), np.float32 if dtype is None else dtype)


def logspace(start, stop, num=50, endpoint=True, base=10, dtype=None, axis=0):
    return linspace(start, stop, num, endpoint, False, dtype, axis)


def _checked_axis(axis, rank):
    require(axis < rank, "the tensor lacks the axis")
    require(axis >= -rank, "the tensor lacks the axis")
    return _axis(axis, rank)


def squeeze(x, axis=None):
    x = _tensor(x)
    if axis is None:
        return tf.squeeze(x)
    places = axis if isinstance(axis, (list, tuple)) else [axis]
    places = [_checked_axis(place, x.ndim) for place in places]
    for place in places:
        size = x.shape[place]
        if _is_open(size):
            judge(size == 1, "an axis that is taken away has one element")
        else:
            require(size == 1, "an axis that is taken away has one element")
    return _made(tuple([x.shape[place] for place in range(x.ndim) if place not in places]), x.dtype)


def concatenate(xs, axis=0):
    return _joined([_tensor(x) for x in xs], axis)


concat = concatenate


def stack(x, axis=0):
    parts = [_tensor(part) for part in x]
    first = parts[0]
    message = "all tensors must have the same shape"
    for part in parts[1:]:
        require(part.ndim == first.ndim, message)
    if not is_known(first.ndim):
        return tf.stack(parts, axis)
    place = _checked_axis(axis, first.ndim + 1)
    sizes = [_one_of([part.shape[number] for part in parts], message) for number in range(first.ndim)]
    return _made(tuple(sizes[:place]) + (len(parts),) + tuple(sizes[place:]), first.dtype)


def take(x, indices, axis=None):
    x, indices = _tensor(x), _tensor(indices)
    if axis is None:
        return _made(indices.shape, x.dtype)
    place = _checked_axis(axis, x.ndim)
    return _made(x.shape[:place] + indices.shape + x.shape[place + 1:], x.dtype)


def take_along_axis(x, indices, axis=None):
    x, indices = _tensor(x), _tensor(indices)
    if axis is None:
        require(indices.ndim == 1, "the tensor is flattened, and the indices are not")
        return _made(indices.shape, x.dtype)
    require(x.ndim == indices.ndim, "tensor and indices must have the same number of axes")
    place, sizes = _checked_axis(axis, x.ndim), []
    for number in range(x.ndim):
        size, other = x.shape[number], indices.shape[number]
        if number == place or (is_known(size) and size == 1):
            sizes.append(other)
        elif is_known(other) and other == 1:
            sizes.append(size)
        else:
            _alike(size, other, "tensor and indices must fit along the other axes")
            sizes.append(size if is_known(size) else other)
    return _made(tuple(sizes), x.dtype)


def slice(inputs, start_indices, shape):
    inputs = _tensor(inputs)
    sizes = []
    for place in range(len(shape)):
        sizes.append(inputs.shape[place] - start_indices[place] if is_known(shape[place]) and shape[place] == -1 else shape[place])
    return _made(tuple(sizes), inputs.dtype)


def scatter(indices, values, shape):
    return _made(tuple(shape), _tensor(values).dtype)


def top_k(x, k, sorted=True):
    x = _tensor(x)
    require(x.shape[-1] >= k, "the last axis has fewer elements than are asked for")
    sizes = x.shape[:-1] + (k,)
    return _made(sizes, x.dtype), _made(sizes, np.int32)


def multi_hot(inputs, num_classes=None, axis=-1, dtype=None, sparse=False, **options):
    inputs = _tensor(inputs)
    return _made(inputs.shape[:-1] + (num_classes,), np.float32 if dtype is None else dtype)


def depth_to_space(x, block_size, data_format="channels_last"):
    x = _tensor(x)
    require(x.ndim == 4, "the tensor has a batch, two axes of space, and channels")
    b, h, w, c = x.shape if data_format == "channels_last" else (x.shape[0], x.shape[2], x.shape[3], x.shape[1])
    require(c % (block_size * block_size) == 0, "the channels cannot be divided into blocks")
    h, w, c = h * block_size, w * block_size, c // (block_size * block_size)
    return _made((b, h, w, c) if data_format == "channels_last" else (b, c, h, w), x.dtype)


def space_to_depth(x, block_size, data_format="channels_last"):
    x = _tensor(x)
    require(x.ndim == 4, "the tensor has a batch, two axes of space, and channels")
    b, h, w, c = x.shape if data_format == "channels_last" else (x.shape[0], x.shape[2], x.shape[3], x.shape[1])
    for size in [h, w]:
        if _is_open(size):
            judge(size % block_size == 0, "the picture cannot be divided into blocks")
        else:
            require(size % block_size == 0, "the picture cannot be divided into blocks")
    h, w, c = h // block_size, w // block_size, c * block_size * block_size
    return _made((b, h, w, c) if data_format == "channels_last" else (b, c, h, w), x.dtype)


def _segmented(data, segment_ids, num_segments):
    data, segment_ids = _tensor(data), _tensor(segment_ids)
    require(segment_ids.ndim == 1, "the numbers of the segments have one axis")
    require(data.ndim >= 1, "data and numbers of segments have the same first axis")
    _alike(data.shape[0], segment_ids.shape[0], "data and numbers of segments have the same first axis")
    return _made((free_size("segments", 0) if num_segments is None else num_segments,) + data.shape[1:], data.dtype)


def segment_sum(data, segment_ids, num_segments=None, sorted=False):
    return _segmented(data, segment_ids, num_segments)


def segment_max(data, segment_ids, num_segments=None, sorted=False):
    return _segmented(data, segment_ids, num_segments)


def segment_min(data, segment_ids, num_segments=None, sorted=False):
    return _segmented(data, segment_ids, num_segments)


def segment_prod(data, segment_ids, num_segments=None, sorted=False):
    return _segmented(data, segment_ids, num_segments)


def cond(pred, true_fn, false_fn):
    return true_fn() if pred else false_fn()


def while_loop(cond, body, loop_vars, maximum_iterations=None):
    given = loop_vars if isinstance(loop_vars, (list, tuple)) else (loop_vars,)
    return body(*given)


def fori_loop(lower, upper, body_fun, init_val):
    return body_fun(lower, init_val)


def map(f, xs):
    first = f(xs[0])
    return _made((xs.shape[0],) + first.shape, first.dtype)


def vectorized_map(function, elements):
    return map(function, elements)


def scan(f, init, xs=None, length=None, reverse=False, unroll=1):
    carry, out = f(init, None if xs is None else xs[0])
    count = length if xs is None else xs.shape[0]
    return carry, None if out is None else _made((count,) + _tensor(out).shape, _tensor(out).dtype)


def is_tensor(x):
    return isinstance(x, tf.Tensor)


def dtype(x):
    return x.dtype


def size(x):
    total = 1
    for part in x.shape:
        total = total * part
    return total


reduce_mean, reduce_sum, reduce_max, reduce_min = tf.reduce_mean, tf.reduce_sum, tf.reduce_max, tf.reduce_min

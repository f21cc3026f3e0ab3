# Functions of several tensors.
from harp_library import free_size, is_known, numbers_of, require
from tensorflow._core import as_tensor, broadcast
from tensorflow._shared import front_axis, made, same_shape, sizes_of, surely
from tensorflow._sizes import Sizes
from tensorflow._specs import TensorShape
from tensorflow._types import common_dtype


def clip_by_global_norm(t_list, clip_norm, use_norm=None, name=None):
    return list(t_list), made((), "float32")


def tensordot(a, b, axes, name=None):
    dtype = common_dtype([a, b])
    a, b = as_tensor(a), as_tensor(b)
    if surely(isinstance(axes, int)):
        left = [len(a.shape) - axes + index for index in range(axes)]
        right = [index for index in range(axes)]
        require(axes <= len(a.shape), "there are more axes to sum over than the first tensor has")
        require(axes <= len(b.shape), "there are more axes to sum over than the second tensor has")
    else:
        left, right = axes
        left = [left] if surely(isinstance(left, int)) else list(left)
        right = [right] if surely(isinstance(right, int)) else list(right)
        require(len(left) == len(right), "there must be as many axes of the first tensor as of the second")
    left = [front_axis(axis, len(a.shape), "the first tensor") for axis in left]
    right = [front_axis(axis, len(b.shape), "the second tensor") for axis in right]
    for one, other in zip(left, right):
        require(a.shape[one] == b.shape[other], "the axes that are summed over have different sizes")
    kept = [size for place, size in enumerate(a.shape) if place not in left]
    others = [size for place, size in enumerate(b.shape) if place not in right]
    return made(tuple(kept + others), dtype)


def add_n(inputs, name=None):
    tensors = [as_tensor(item) for item in inputs] if surely(isinstance(inputs, (list, tuple))) else [as_tensor(inputs)]
    first = tensors[0]
    for item in tensors:
        same_shape(item.shape, first.shape, "all tensors must have the same shape")
    return made(first.shape, common_dtype(inputs) if surely(isinstance(inputs, (list, tuple))) else first.dtype)


def sequence_mask(lengths, maxlen=None, dtype="bool", name=None):
    longest = maxlen
    if maxlen is None:
        longest = _longest(lengths)
    return made(as_tensor(lengths).shape + (longest,), dtype)


def _longest(lengths):
    numbers = lengths if surely(isinstance(lengths, (list, tuple))) else numbers_of(lengths)
    if surely(isinstance(numbers, (list, tuple))) and is_known(len(numbers)) and len(numbers) > 0 and is_known(numbers):
        return max(numbers)
    return free_size("longest", 0)


def searchsorted(sorted_sequence, values, side="left", out_type="int32", name=None):
    sequence, values = as_tensor(sorted_sequence), as_tensor(values)
    require(len(sequence.shape) >= 1, "the sequence must have an axis")
    same_shape(sequence.shape[:-1], values.shape[:-1], "sequence and values must agree but for their last axis")
    return made(values.shape, out_type)


def reverse_sequence(input, seq_lengths, seq_axis=None, batch_axis=None, name=None, seq_dim=None, batch_dim=None):
    input, lengths = as_tensor(input), as_tensor(seq_lengths)
    batch = batch_axis if batch_axis is not None else 0 if batch_dim is None else batch_dim
    sequence = seq_axis if seq_axis is not None else seq_dim
    require(len(lengths.shape) == 1, "the lengths must be a vector")
    front_axis(sequence, len(input.shape))
    place = front_axis(batch, len(input.shape))
    require(sequence != batch, "the axis of the sequence must not be that of the batch")
    require(lengths.shape[0] == input.shape[place], "there must be a length for each sequence")
    return made(input.shape, input.dtype)


def confusion_matrix(labels, predictions, num_classes=None, weights=None, dtype="int32", name=None):
    labels, predictions = as_tensor(labels), as_tensor(predictions)
    require(len(labels.shape) == len(predictions.shape), "labels and predictions must have the same shape")
    require(len(labels.shape) == 1, "labels and predictions are vectors with the number of a class for each sample")
    same_shape(labels.shape, predictions.shape, "labels and predictions must have the same shape")
    if weights is not None:
        same_shape(as_tensor(weights).shape, labels.shape, "there must be a weight for each label")
    size = free_size("classes", 1) if num_classes is None else num_classes
    return made((size, size), dtype)


def bincount(arr, weights=None, minlength=None, maxlength=None, dtype="int32", name=None, axis=None, binary_output=False):
    arr = as_tensor(arr)
    if weights is not None:
        same_shape(as_tensor(weights).shape, arr.shape, "there must be a weight for each number")
        dtype = as_tensor(weights).dtype
    count = free_size("bins", 0)
    if minlength is not None and maxlength is not None and minlength == maxlength:
        count = minlength
    if axis is None or axis == 0:
        return made((count,), dtype)
    return made((arr.shape[0], count), dtype)


def histogram_fixed_width(values, value_range, nbins=100, dtype="int32", name=None):
    return made((nbins,), dtype)


def unravel_index(indices, dims, name=None):
    indices, dims = as_tensor(indices), as_tensor(dims)
    return made((dims.shape[0],) + indices.shape, indices.dtype)


def space_to_batch(input, block_shape, paddings, name=None):
    input = as_tensor(input)
    block = [block_shape] * 2 if surely(isinstance(block_shape, int)) else list(block_shape)
    paddings = list(paddings)
    require(len(block) == len(paddings), "there must be a pair of paddings for each axis of a block")
    require(len(input.shape) >= len(block) + 1, "the tensor has fewer axes than a block")
    batch, sizes = input.shape[0], []
    for place in range(len(block)):
        size = input.shape[1 + place] + paddings[place][0] + paddings[place][1]
        require(size % block[place] == 0, "the padded axis does not split into blocks")
        sizes.append(size // block[place])
        batch = batch * block[place]
    return made((batch,) + tuple(sizes) + input.shape[1 + len(block):], input.dtype)


def space_to_batch_nd(input, block_shape, paddings, name=None):
    return space_to_batch(input, block_shape, paddings)


def batch_to_space(input, block_shape, crops, name=None):
    input = as_tensor(input)
    block = [block_shape] * 2 if surely(isinstance(block_shape, int)) else list(block_shape)
    crops = list(crops)
    require(len(block) == len(crops), "there must be a pair of crops for each axis of a block")
    require(len(input.shape) >= len(block) + 1, "the tensor has fewer axes than a block")
    whole, sizes = 1, []
    for place in range(len(block)):
        whole = whole * block[place]
        size = input.shape[1 + place] * block[place] - crops[place][0] - crops[place][1]
        require(size >= 0, "the crops are larger than the axis")
        sizes.append(size)
    require(input.shape[0] % whole == 0, "the batch does not split into blocks")
    return made((input.shape[0] // whole,) + tuple(sizes) + input.shape[1 + len(block):], input.dtype)


def broadcast_static_shape(shape_x, shape_y):
    return TensorShape(broadcast(made(sizes_of(tuple(shape_x))), made(sizes_of(tuple(shape_y))), 0.0).shape)


def broadcast_dynamic_shape(shape_x, shape_y):
    if surely(isinstance(shape_x, (list, tuple))) and surely(isinstance(shape_y, (list, tuple))):
        return Sizes(broadcast(made(tuple(shape_x)), made(tuple(shape_y)), 0.0).shape)
    return made((free_size("rank", 0),), "int32")


def bitcast(input, type, name=None):
    input = as_tensor(input)
    return made(None, type)


def edit_distance(hypothesis, truth, normalize=True, name="edit_distance"):
    return made(None, "float32")


def parallel_stack(values, name="parallel_stack"):
    first = as_tensor(values[0])
    return made((len(values),) + first.shape, first.dtype)


def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    t = as_tensor(t)
    shape = broadcast(t, clip_value_min, clip_value_max).shape
    same_shape(shape, t.shape, "the bounds do not broadcast to the tensor")
    return made(t.shape, t.dtype)

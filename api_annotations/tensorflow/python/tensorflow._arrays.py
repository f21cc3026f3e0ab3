# Tensors made of sizes and numbers, and the sizes of tensors.
import numpy as np
from harp_library import require, tensor
from tensorflow._core import arange as _arange, as_tensor, broadcast, constant as _constant
from tensorflow._shared import made, shape_of_texts, sizes_of, surely
from tensorflow._sizes import Sizes
from tensorflow._specs import Composite
from tensorflow._types import listed


def constant(value, dtype=None, shape=None, name="Const"):
    texts = shape_of_texts(value)
    if texts is not None:
        return made(texts if shape is None else sizes_of(shape))
    tensor = listed(value, _constant(value, dtype), dtype)
    if shape is None:
        return tensor
    if surely(isinstance(shape, (list, tuple))):
        for size in shape:
            require(size is not None, "a constant has a shape without `None`")
    shape = sizes_of(shape)
    if surely(isinstance(shape, tuple)):
        count, wanted = 1, 1
        for size in tensor.shape:
            count = count * size
        for size in shape:
            wanted = wanted * size
        require(count == 1 or count == wanted, "the value has neither one element nor as many as the shape")
    return made(shape, tensor.dtype)


def convert_to_tensor(value, dtype=None, dtype_hint=None, name=None, preferred_dtype=None):
    if surely(isinstance(value, Sizes)) or surely(isinstance(value, Composite)):
        return value
    texts = shape_of_texts(value)
    return listed(value, as_tensor(value, dtype), dtype) if texts is None else made(texts)


def fill(dims, value, name=None, layout=None):
    return made(sizes_of(dims), as_tensor(value).dtype)


def eye(num_rows, num_columns=None, batch_shape=None, dtype="float32", name=None):
    columns = num_rows if num_columns is None else num_columns
    batch = () if batch_shape is None else tuple(batch_shape)
    return made(batch + (num_rows, columns), dtype)


def range(start, limit=None, delta=1, dtype=None, name="range"):
    if limit is None:
        return _arange(0, start, delta, dtype)
    return _arange(start, limit, delta, dtype)


def linspace(start, stop, num, name=None, axis=0):
    first = as_tensor(start)
    shape = broadcast(first, stop, first).shape
    if len(shape) == 0:
        return made((num,), first.dtype)
    place = axis if axis >= 0 else axis + len(shape) + 1
    return made(shape[:place] + (num,) + shape[place:], first.dtype)


# Of another type than usual, the numbers are not followed, as what is made of them has that type.
def shape(input, out_type=None, name=None):
    if out_type is not None and not surely(out_type == np.int32):
        return made((len(as_tensor(input).shape),), out_type)
    if surely(isinstance(input, Sizes)):
        return Sizes((len(input),))
    sizes = as_tensor(input).shape
    if surely(len(sizes) == 0):
        # Where there are no sizes, nothing tells that they are integers.
        return tensor((0,), np.int32, "tensorflow.Tensor", numbers=[])
    return Sizes(sizes)


def shape_n(input, out_type=None, name=None):
    return [shape(item) for item in input]


def size(input, out_type=None, name=None):
    if out_type is not None and not surely(out_type == np.int32):
        return made((), out_type)
    count = 1
    for length in as_tensor(input).shape:
        count = count * length
    return count


def rank(input, name=None):
    return len(as_tensor(input).shape)

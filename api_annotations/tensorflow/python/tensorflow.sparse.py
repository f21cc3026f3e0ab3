# Functions of sparse tensors.
from harp_library import free_size, require
from tensorflow._core import as_tensor
from tensorflow._shared import front_axis, made, same_shape, surely
from tensorflow._sparse import SparseTensor, of_shape


def to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    return made(tuple(sp_input.dense_shape_), sp_input.dtype)


def from_dense(tensor, name=None):
    tensor = as_tensor(tensor)
    return of_shape(tensor.shape, tensor.dtype)


def reorder(sp_input, name=None):
    return sp_input


def add(a, b, threshold=0):
    if surely(isinstance(a, SparseTensor)) and surely(isinstance(b, SparseTensor)):
        same_shape(tuple(a.dense_shape_), tuple(b.dense_shape_), "the sparse tensors must have the same shape")
        return of_shape(a.dense_shape_, a.dtype)
    dense = as_tensor(b if surely(isinstance(a, SparseTensor)) else a)
    return made(dense.shape, dense.dtype)


def maximum(sp_a, sp_b, name=None):
    return add(sp_a, sp_b)


def minimum(sp_a, sp_b, name=None):
    return add(sp_a, sp_b)


def transpose(sp_input, perm=None, name=None):
    shape = tuple(sp_input.dense_shape_)
    if perm is None:
        return of_shape(tuple(reversed(shape)), sp_input.dtype)
    require(len(perm) == len(shape), "there must be a place for each axis")
    return of_shape(tuple(shape[place] for place in perm), sp_input.dtype)


def reshape(sp_input, shape, name=None):
    whole, wanted, is_open = 1, 1, False
    for size in sp_input.dense_shape_:
        whole = whole * size
    for size in shape:
        if size == -1:
            is_open = True
        else:
            wanted = wanted * size
    if is_open:
        require(whole % wanted == 0, "the tensor does not fit the shape")
        return of_shape(tuple(whole // wanted if size == -1 else size for size in shape), sp_input.dtype)
    require(whole == wanted, "the tensor does not fit the shape")
    return of_shape(tuple(free_size("size", 0) if size == -1 else size for size in shape), sp_input.dtype)


def expand_dims(sp_input, axis=None, name=None):
    shape = tuple(sp_input.dense_shape_)
    place = front_axis(-1 if axis is None else axis, len(shape) + 1)
    return of_shape(shape[:place] + (1,) + shape[place:], sp_input.dtype)


def slice(sp_input, start, size, name=None):
    return of_shape(tuple(size), sp_input.dtype)


def split(sp_input=None, num_split=None, axis=None, name=None):
    shape = tuple(sp_input.dense_shape_)
    place = front_axis(axis, len(shape))
    return [of_shape(shape[:place] + (free_size("part", 0),) + shape[place + 1:], sp_input.dtype) for index in range(num_split)]


def concat(axis, sp_inputs, expand_nonconcat_dims=False, name=None):
    shapes = [tuple(item.dense_shape_) for item in sp_inputs]
    place = front_axis(axis, len(shapes[0]))
    return of_shape(shapes[0][:place] + (sum(shape[place] for shape in shapes),) + shapes[0][place + 1:], sp_inputs[0].dtype)


def _reduced(sp_input, axis, keepdims):
    shape = tuple(sp_input.dense_shape_)
    if axis is None:
        return (1,) * len(shape) if keepdims else ()
    axes = [axis] if surely(isinstance(axis, int)) else list(axis)
    places = [front_axis(one, len(shape)) for one in axes]
    if keepdims:
        return tuple(1 if place in places else size for place, size in enumerate(shape))
    return tuple(size for place, size in enumerate(shape) if place not in places)


def reduce_sum(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    shape = _reduced(sp_input, axis, keepdims)
    return of_shape(shape, sp_input.dtype) if output_is_sparse else made(shape, sp_input.dtype)


def reduce_max(sp_input, axis=None, keepdims=None, output_is_sparse=False, name=None):
    return reduce_sum(sp_input, axis, keepdims, output_is_sparse)


def sparse_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    left = tuple(sp_a.dense_shape_) if surely(isinstance(sp_a, SparseTensor)) else as_tensor(sp_a).shape
    right = tuple(b.dense_shape_) if surely(isinstance(b, SparseTensor)) else as_tensor(b).shape
    require(len(left) == 2, "the sparse tensor must be a matrix")
    require(len(right) == 2, "the dense tensor must be a matrix")
    rows, inner = (left[1], left[0]) if adjoint_a else (left[0], left[1])
    second, columns = (right[1], right[0]) if adjoint_b else (right[0], right[1])
    require(inner == second, "the columns of the first matrix are not the rows of the second")
    return made((rows, columns), b.dtype)


def softmax(sp_input, name=None):
    return sp_input


def retain(sp_input, to_retain):
    return of_shape(sp_input.dense_shape_, sp_input.dtype)


def fill_empty_rows(sp_input, default_value, name=None):
    return of_shape(sp_input.dense_shape_, sp_input.dtype), made((sp_input.dense_shape_[0],), "bool")


def reset_shape(sp_input, new_shape=None):
    return of_shape(sp_input.dense_shape_ if new_shape is None else new_shape, sp_input.dtype)


def mask(a, mask_indices, name=None):
    return a


def map_values(op, *args, **kwargs):
    first = args[0]
    result = op(*[item.values if surely(isinstance(item, SparseTensor)) else item for item in args], **kwargs)
    return SparseTensor(first.indices, result, first.dense_shape_)


def eye(num_rows, num_columns=None, dtype="float32", name=None):
    return of_shape((num_rows, num_rows if num_columns is None else num_columns), dtype)


def to_indicator(sp_input, vocab_size, name=None):
    return made(tuple(sp_input.dense_shape_)[:-1] + (vocab_size,), "bool")


def segment_sum(data, indices, segment_ids, num_segments=None, name=None):
    data = as_tensor(data)
    return made((free_size("segments", 0) if num_segments is None else num_segments,) + data.shape[1:], data.dtype)


def segment_mean(data, indices, segment_ids, num_segments=None, name=None, sparse_gradient=False):
    return segment_sum(data, indices, segment_ids, num_segments)


def segment_sqrt_n(data, indices, segment_ids, num_segments=None, name=None, sparse_gradient=False):
    return segment_sum(data, indices, segment_ids, num_segments)


def bincount(values, weights=None, axis=0, minlength=None, maxlength=None, binary_output=False, name=None):
    return of_shape((free_size("bins", 0),), "int64")

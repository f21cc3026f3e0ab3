# Functions of version 1 whose result an entry cannot tell: assignments, resizing, Python functions in a graph.
from harp_library import free_size, is_known, judge, outside, require, tensor


def _tensor(value):
    import tensorflow as _tf
    return _tf.convert_to_tensor(value)


def _like(value, shape):
    return tensor(shape, value.dtype, "tensorflow.Tensor")


def assign(ref, value, validate_shape=None, use_locking=None, name=None):
    value = _tensor(value)
    if validate_shape is False:
        return _like(ref, value.shape)
    judge(len(ref.shape) == len(value.shape), "the value has another number of axes than the variable")
    for own, size in zip(ref.shape, value.shape):
        judge(own == size, "the value has another shape than the variable")
    return _like(ref, ref.shape)


def assign_add(ref, value, use_locking=None, name=None):
    return assign(ref, value)


def assign_sub(ref, value, use_locking=None, name=None):
    return assign(ref, value)


def verify_tensor_all_finite(t=None, msg=None, name=None, x=None, message=None):
    value = _tensor(x if t is None else t)
    return _like(value, value.shape)


def py_func(func, inp, Tout, stateful=True, name=None):
    if isinstance(Tout, (list, tuple)):
        return [tensor(None, dtype, "tensorflow.Tensor") for dtype in Tout]
    return tensor(None, Tout, "tensorflow.Tensor")


def random_crop(value, size, seed=None, name=None):
    value = _tensor(value)
    size = tuple(size)
    judge(len(size) == len(value.shape), "the size has a number for each axis of what is cropped")
    for own, wanted in zip(value.shape, size):
        judge(own >= wanted, "the crop is larger than what it is taken from")
    return _like(value, tuple([own if wanted is None else wanted for own, wanted in zip(value.shape, size)]))


def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0, validate_indices=True, name=None):
    return tensor(tuple(output_shape) if isinstance(output_shape, (list, tuple)) else None, _tensor(sparse_values).dtype, "tensorflow.Tensor")


def batch_to_space_nd(input, block_shape, crops, name=None):
    import tensorflow as _tf
    return _tf.batch_to_space(input, block_shape, crops)


def make_template(name_, func_, create_scope_now_=False, unique_name_=None, custom_getter_=None, **kwargs):
    return _Template(func_, kwargs)


class _Template:
    def __init__(self, function, options):
        self._function, self._options = function, options
        self.variables = self.trainable_variables = self.weights = outside("variables of a template")

    def __call__(self, *arguments, **options):
        return self._function(*arguments, **self._options, **options)


def concat_v2(values, axis, name="concat_v2"):
    import tensorflow as _tf
    return _tf.concat(values, axis)


def pack(values, axis=0, name="pack"):
    import tensorflow as _tf
    return _tf.stack(values, axis)


def unpack(value, num=None, axis=0, name="unpack"):
    import tensorflow as _tf
    return _tf.unstack(value, num, axis)


def batch_gather(params, indices, name=None):
    import tensorflow as _tf
    return _tf.gather(params, indices, axis=-1, batch_dims=-1)

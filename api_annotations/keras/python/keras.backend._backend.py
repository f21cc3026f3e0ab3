# Functions of the backend whose shapes depend on more than their operands, and the settings of a session.
import numpy as np
import tensorflow as tf
import keras.losses._losses as _losses
import keras.ops._arrays as _arrays
import keras.ops._windows as _windows
from harp_library import is_known, outside, require
from keras._joins import _alike
from keras._shapes import _free, _is_open, _made, _several, _shape_of, _shown, _tensor


def dot(x, y):
    """The last axis of the one against the last but one of the other."""
    x, y = _tensor(x), _tensor(y)
    if is_known(y.ndim) and y.ndim >= 2:
        _alike(x.shape[-1], y.shape[-2], "the axes over which is summed must have the same size")
        return _made(x.shape[:-1] + y.shape[:-2] + y.shape[-1:])
    return tf.tensordot(x, y, 1)


def batch_dot(x, y, axes=None):
    x, y = _tensor(x), _tensor(y)
    if axes is None:
        axes = [x.ndim - 1, y.ndim - 2 if y.ndim > 2 else 1]
    if isinstance(axes, int):
        axes = [axes, axes]
    first = axes[0] + x.ndim if axes[0] < 0 else axes[0]
    second = axes[1] + y.ndim if axes[1] < 0 else axes[1]
    _alike(x.shape[first], y.shape[second], "the axes over which is summed must have the same size")
    rest = [x.shape[place] for place in range(1, x.ndim) if place != first] + [y.shape[place] for place in range(1, y.ndim) if place != second]
    return _made((x.shape[0],) + (tuple(rest) if len(rest) > 0 else (1,)))


def arange(start, stop=None, step=1, dtype="int32"):
    return _arrays.arange(start, stop, step, np.int32 if dtype == "int32" else dtype)


def constant(value, dtype=None, shape=None, name=None):
    if shape is not None:
        return _made(tuple(shape), np.float32 if dtype is None else dtype)
    value = _tensor(value)
    return _made(value.shape, np.float32 if dtype is None else dtype)


def variable(value, dtype=None, name=None, constraint=None):
    return constant(value, dtype)


def _random(shape, dtype=None):
    return _made((shape,) if isinstance(shape, int) else tuple(shape), np.float32 if dtype is None else dtype)


def random_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    return _random(shape, dtype)


def random_uniform(shape, minval=0.0, maxval=1.0, dtype=None, seed=None):
    return _random(shape, dtype)


def truncated_normal(shape, mean=0.0, stddev=1.0, dtype=None, seed=None):
    return _random(shape, dtype)


def random_bernoulli(shape, p=0.0, dtype=None, seed=None):
    return _random(shape, dtype)


def random_binomial(shape, p=0.0, dtype=None, seed=None):
    return _random(shape, dtype)


def binary_crossentropy(target, output, from_logits=False):
    return _windows.binary_crossentropy(target, output)


def categorical_crossentropy(target, output, from_logits=False, axis=-1):
    return _losses.categorical_crossentropy(target, output, axis=axis)


def sparse_categorical_crossentropy(target, output, from_logits=False, axis=-1, ignore_class=None):
    return _losses.sparse_categorical_crossentropy(target, output)


def conv1d(x, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    return _windows.conv(x, kernel, strides, padding, data_format, dilation_rate)


def conv2d(x, kernel, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):
    return _windows.conv(x, kernel, strides, padding, data_format, dilation_rate)


def conv3d(x, kernel, strides=(1, 1, 1), padding="valid", data_format=None, dilation_rate=(1, 1, 1)):
    return _windows.conv(x, kernel, strides, padding, data_format, dilation_rate)


def depthwise_conv2d(x, depthwise_kernel, strides=(1, 1), padding="valid", data_format=None, dilation_rate=(1, 1)):
    return _windows.depthwise_conv(x, depthwise_kernel, strides, padding, data_format, dilation_rate)


def pool2d(x, pool_size, strides=(1, 1), padding="valid", data_format=None, pool_mode="max"):
    return _windows.max_pool(x, pool_size, strides, padding, data_format)


def pool3d(x, pool_size, strides=(1, 1, 1), padding="valid", data_format=None, pool_mode="max"):
    return _windows.max_pool(x, pool_size, strides, padding, data_format)


def resize_images(x, height_factor, width_factor, data_format="channels_last", interpolation="nearest"):
    x = _tensor(x)
    height, width = (x.shape[1], x.shape[2]) if data_format == "channels_last" else (x.shape[2], x.shape[3])
    return _windows._of_size(x, height * height_factor, width * width_factor, data_format)


def spatial_2d_padding(x, padding=((1, 1), (1, 1)), data_format=None):
    x = _tensor(x)
    (top, bottom), (left, right) = padding
    return _windows.pad_images(x, top, left, bottom, right, data_format=data_format)


def temporal_padding(x, padding=(1, 1)):
    x = _tensor(x)
    return _made((x.shape[0], x.shape[1] + padding[0] + padding[1], x.shape[2]), x.dtype)


def placeholder(shape=None, ndim=None, dtype=None, *arguments, **options):
    if shape is None:
        return _made(None if ndim is None else tuple([_free("size") for place in range(ndim)]), np.float32)
    return _made(tuple([_free("size") if size is None else size for size in shape]), np.float32 if dtype is None else dtype)


def in_train_phase(x, alt, training=None):
    value = x
    return value() if callable(value) else value


def in_test_phase(x, alt, training=None):
    return in_train_phase(x, alt)


def switch(condition, then_expression, else_expression):
    return in_train_phase(then_expression, else_expression)


def image_data_format():
    return "channels_last"


def image_dim_ordering():
    return "tf"


def backend():
    return "tensorflow"


def floatx():
    return "float32"


def epsilon():
    return 1e-7


def learning_phase():
    return outside("learning phase")


def clear_session(*arguments, **options):
    pass


set_learning_phase = set_session = set_image_data_format = set_image_dim_ordering = set_floatx = set_epsilon = clear_session
manual_variable_initialization = batch_set_value = update = update_add = update_sub = moving_average_update = clear_session
reset_uids = set_keras_mask = print_tensor = clear_session


def set_value(x, value):
    """A variable keeps its shape, and takes no smaller value for all of it."""
    shape, given = np.shape(x), np.shape(value)
    if not is_known(len(shape)) or not is_known(len(given)):
        return
    require(len(shape) == len(given), f"a variable of {len(shape)} axes cannot be set to a value of {len(given)}")
    for own, size in zip(shape, given):
        _alike(own, size, "a variable cannot be set to a value of another shape")


def get_session(*arguments):
    return outside("session")


def get_uid(prefix=""):
    return outside("number of a name")


def dtype(x):
    return outside("name of a type")


def standardize_dtype(dtype):
    return dtype


def is_keras_tensor(x):
    return isinstance(x, tf.Tensor)


is_tensor = is_keras_tensor


def is_sparse(x):
    return False


def count_params(x):
    total = 1
    for size in x.shape:
        total = total * size
    return total


def function(inputs, outputs, updates=None, name=None, **options):
    """A function that runs a part of a graph: one array for each output, of sizes that the data tell."""
    def run(values):
        return [_arrays_of(output) for output in outputs]

    return run


def _arrays_of(output):
    return outside("value of a tensor")


def gradients(loss, variables):
    parts = variables if isinstance(variables, (list, tuple)) else [variables]
    return [_made(part.shape, part.dtype) for part in parts]

# The layers of version 1 as functions. Their weights are variables of the scope, which a layer of the same name shares where it is reused.
from harp_library import free_size, is_known, judge, tensor
from tensorflow._mode import judge_defined, judge_ranked
from tensorflow._v1graph import VariableScope, add_to_collection, get_default_graph
from tensorflow._v1variables import _collect, _judge_same, _unique
from tensorflow._v1windows import _each, _is_first, _unfolded, _windows


def _make_weights(name, default, reuse, trainable, shapes, regularizer=None):
    """The variables of a layer: those that exist, where it is reused, else new ones."""
    graph = get_default_graph()
    scope = graph._scope
    if isinstance(name, VariableScope):
        # A scope that is open already.
        prefix = name._prefix
    else:
        own = _unique(scope.name, default, graph._numbers) if name is None else name
        prefix = scope._prefix + own + "/"
    is_shared = reuse or scope.reuse
    if regularizer is not None or scope.regularizer is not None:
        import tensorflow as _tf
        add_to_collection("regularization_losses", tensor((), _tf.float32, "tensorflow.Tensor"))
    for part, shape in shapes:
        _weight(graph, prefix + part, shape, is_shared, trainable)


def _weight(graph, full, shape, is_shared, trainable):
    import tensorflow as _tf
    if is_known(full):
        known = graph._variables.get(full)
        if known is not None and is_shared:
            _judge_same(full, known, shape)
            return known
    made = tensor(shape, _tf.float32, "tensorflow.Tensor")
    if is_known(full):
        graph._variables[full] = made
    _collect(made, trainable, None)
    return made


def _dense_shape(inputs, units):
    judge(inputs.ndim >= 2, "a dense layer takes an input with an axis of batches and one of features")
    return inputs.shape[:-1] + (units,)


def _conv_shape(count, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate):
    """The shape that a convolution makes. Axes before those of space are all of them batches."""
    judge(inputs.ndim >= count + 2, "the input of a convolution has an axis of batches, those of space, and one of channels")
    kernel, strides, dilations = _each(kernel_size, count), _each(strides, count), _each(dilation_rate, count)
    padding = padding.upper()
    if not is_known(inputs.ndim):
        return (free_size("size"),) * (count + 1) + (filters,)
    if _is_first(data_format):
        space = inputs.shape[-count:]
        made = tuple([_windows(space[axis], kernel[axis], strides[axis], dilations[axis], padding) for axis in range(count)])
        return inputs.shape[:-count - 1] + (filters,) + made
    space = inputs.shape[-count - 1:-1]
    made = tuple([_windows(space[axis], kernel[axis], strides[axis], dilations[axis], padding) for axis in range(count)])
    return inputs.shape[:-count - 1] + made + (filters,)


def _transposed_shape(count, inputs, filters, kernel_size, strides, padding, data_format):
    judge(inputs.ndim == count + 2, "the input of a transposed convolution has an axis of batches, those of space, and one of channels")
    kernel, strides = _each(kernel_size, count), _each(strides, count)
    padding = padding.upper()
    if not is_known(inputs.ndim):
        return (free_size("size"),) * (count + 1) + (filters,)
    if _is_first(data_format):
        made = tuple([_unfolded(inputs.shape[2 + axis], kernel[axis], strides[axis], padding) for axis in range(count)])
        return (inputs.shape[0], filters) + made
    made = tuple([_unfolded(inputs.shape[1 + axis], kernel[axis], strides[axis], padding) for axis in range(count)])
    return (inputs.shape[0],) + made + (filters,)


def _pool_shape(count, inputs, pool_size, strides, padding, data_format):
    judge(inputs.ndim == count + 2, "the input of a pool has an axis of batches, those of space, and one of channels")
    kernel, strides = _each(pool_size, count), _each(strides, count)
    padding = padding.upper()
    if not is_known(inputs.ndim):
        return (free_size("size"),) * (count + 2)
    first = 2 if _is_first(data_format) else 1
    made = tuple([_windows(inputs.shape[first + axis], kernel[axis], strides[axis], 1, padding) for axis in range(count)])
    return inputs.shape[:first] + made + inputs.shape[first + count:]


def _flat_shape(inputs):
    judge(inputs.ndim >= 1, "what is flattened has an axis of batches")
    if not is_known(inputs.ndim):
        return (free_size("size"), free_size("size"))
    count = 1
    for size in inputs.shape[1:]:
        count = count * size
    return (inputs.shape[0], count)


def _channels(inputs, data_format):
    return _defined(inputs.shape[1] if _is_first(data_format) else inputs.shape[-1])


def _defined(size):
    """The size of an axis that weights are made for."""
    judge_defined(size, "the weights need a number of channels or features that the graph knows; here it is `None`")
    return size


def _made(shape, inputs):
    return tensor(shape, inputs.dtype, "tensorflow.Tensor")


def dense(inputs, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, bias_regularizer=None,
          activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    shape = _dense_shape(inputs, units)
    features = _defined(inputs.shape[-1])
    weights = [("kernel", (features, units)), ("bias", (units,))] if use_bias else [("kernel", (features, units))]
    _make_weights(name, "dense", reuse, trainable, weights, kernel_regularizer)
    return _made(shape, inputs)


def _convolution(count, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, use_bias, regularizer, trainable, name, reuse):
    shape = _conv_shape(count, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate)
    kernel = ("kernel", _each(kernel_size, count) + (_channels(inputs, data_format), filters))
    weights = [kernel, ("bias", (filters,))] if use_bias else [kernel]
    _make_weights(name, "conv" + str(count) + "d", reuse, trainable, weights, regularizer)
    return _made(shape, inputs)


def conv1d(inputs, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1, activation=None, use_bias=True,
           kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
           kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    return _convolution(1, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, use_bias, kernel_regularizer, trainable, name, reuse)


def conv2d(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", dilation_rate=(1, 1), activation=None, use_bias=True,
           kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
           kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    return _convolution(2, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, use_bias, kernel_regularizer, trainable, name, reuse)


def conv3d(inputs, filters, kernel_size, strides=(1, 1, 1), padding="valid", data_format="channels_last", dilation_rate=(1, 1, 1), activation=None,
           use_bias=True, kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
           kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    return _convolution(3, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, use_bias, kernel_regularizer, trainable, name, reuse)


def _transposed(count, inputs, filters, kernel_size, strides, padding, data_format, use_bias, regularizer, trainable, name, reuse):
    judge_ranked(inputs, "the input of a transposed convolution")
    shape = _transposed_shape(count, inputs, filters, kernel_size, strides, padding, data_format)
    kernel = ("kernel", _each(kernel_size, count) + (filters, _channels(inputs, data_format)))
    weights = [kernel, ("bias", (filters,))] if use_bias else [kernel]
    _make_weights(name, "conv" + str(count) + "d_transpose", reuse, trainable, weights, regularizer)
    return _made(shape, inputs)


def conv2d_transpose(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", activation=None, use_bias=True,
                     kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                     kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    return _transposed(2, inputs, filters, kernel_size, strides, padding, data_format, use_bias, kernel_regularizer, trainable, name, reuse)


def conv3d_transpose(inputs, filters, kernel_size, strides=(1, 1, 1), padding="valid", data_format="channels_last", activation=None, use_bias=True,
                     kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                     kernel_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    return _transposed(3, inputs, filters, kernel_size, strides, padding, data_format, use_bias, kernel_regularizer, trainable, name, reuse)


def _separable(count, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, multiplier, use_bias, trainable, name, reuse):
    judge(inputs.ndim == count + 2, "the input of a separable convolution has an axis of batches, those of space, and one of channels")
    shape = _conv_shape(count, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate)
    channels = _channels(inputs, data_format)
    weights = [("depthwise_kernel", _each(kernel_size, count) + (channels, multiplier)),
               ("pointwise_kernel", (1,) * count + (channels * multiplier, filters))]
    if use_bias:
        weights.append(("bias", (filters,)))
    _make_weights(name, "separable_conv" + str(count) + "d", reuse, trainable, weights)
    return _made(shape, inputs)


def separable_conv1d(inputs, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1, depth_multiplier=1,
                     activation=None, use_bias=True, depthwise_initializer=None, pointwise_initializer=None, bias_initializer=None,
                     depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None,
                     pointwise_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    return _separable(1, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, use_bias, trainable, name, reuse)


def separable_conv2d(inputs, filters, kernel_size, strides=(1, 1), padding="valid", data_format="channels_last", dilation_rate=(1, 1), depth_multiplier=1,
                     activation=None, use_bias=True, depthwise_initializer=None, pointwise_initializer=None, bias_initializer=None,
                     depthwise_regularizer=None, pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None,
                     pointwise_constraint=None, bias_constraint=None, trainable=True, name=None, reuse=None):
    return _separable(2, inputs, filters, kernel_size, strides, padding, data_format, dilation_rate, depth_multiplier, use_bias, trainable, name, reuse)


def max_pooling1d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    return _made(_pool_shape(1, inputs, pool_size, strides, padding, data_format), inputs)


def max_pooling2d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    return _made(_pool_shape(2, inputs, pool_size, strides, padding, data_format), inputs)


def max_pooling3d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    return _made(_pool_shape(3, inputs, pool_size, strides, padding, data_format), inputs)


def average_pooling1d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    return _made(_pool_shape(1, inputs, pool_size, strides, padding, data_format), inputs)


def average_pooling2d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    return _made(_pool_shape(2, inputs, pool_size, strides, padding, data_format), inputs)


def average_pooling3d(inputs, pool_size, strides, padding="valid", data_format="channels_last", name=None):
    return _made(_pool_shape(3, inputs, pool_size, strides, padding, data_format), inputs)


def flatten(inputs, name=None, data_format="channels_last"):
    return _made(_flat_shape(inputs), inputs)


def dropout(inputs, rate=0.5, noise_shape=None, seed=None, training=False, name=None):
    return _made(inputs.shape, inputs)


def batch_normalization(inputs, axis=-1, momentum=0.99, epsilon=1e-3, center=True, scale=True, beta_initializer=None, gamma_initializer=None,
                        moving_mean_initializer=None, moving_variance_initializer=None, beta_regularizer=None, gamma_regularizer=None,
                        beta_constraint=None, gamma_constraint=None, training=False, trainable=True, name=None, reuse=None, renorm=False,
                        renorm_clipping=None, renorm_momentum=0.99, fused=None, virtual_batch_size=None, adjustment=None):
    axes = (axis,) if isinstance(axis, int) else tuple(axis)
    sizes = tuple([_defined(inputs.shape[place]) for place in axes])
    _make_weights(name, "batch_normalization", reuse, trainable, [("gamma", sizes), ("beta", sizes)])
    return _made(inputs.shape, inputs)

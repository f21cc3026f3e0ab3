# Layers of `tf.contrib.layers`, which `slim` has, too. Scopes give arguments to those that are called in them.
from harp_library import is_known, judge, outside, tensor
from tensorflow._v1layers import _channels, _conv_shape, _defined, _dense_shape, _flat_shape, _make_weights, _pool_shape, _transposed_shape
from tensorflow._v1windows import _each
from tensorflow.contrib.framework import _with_scope


def _made(shape, inputs):
    return tensor(shape, inputs.dtype, "tensorflow.Tensor")


def _convolution(count, arguments, options):
    def convolve(inputs, num_outputs, kernel_size, stride=1, padding="SAME", data_format=None, rate=1, activation_fn=None, normalizer_fn=None,
                 normalizer_params=None, weights_initializer=None, weights_regularizer=None, biases_initializer=0, biases_regularizer=None, reuse=None,
                 variables_collections=None, outputs_collections=None, trainable=True, scope=None, **others):
        shape = _conv_shape(count, inputs, num_outputs, kernel_size, stride, padding, data_format, rate)
        weights = [("weights", _each(kernel_size, count) + (_channels(inputs, data_format), num_outputs))]
        _make_weights(scope, "Conv", reuse, trainable, weights, weights_regularizer)
        return _made(shape, inputs)
    return convolve(*arguments, **options)


def conv1d(*args, **kwargs):
    return _convolution(1, args, _with_scope("conv1d", kwargs))


def conv2d(*args, **kwargs):
    return _convolution(2, args, _with_scope("conv2d", kwargs))


def conv3d(*args, **kwargs):
    return _convolution(3, args, _with_scope("conv3d", kwargs))


def convolution(*args, **kwargs):
    options = _with_scope("convolution", kwargs)
    inputs = args[0] if len(args) > 0 else options["inputs"]
    return _convolution(inputs.ndim - 2, args, options)


convolution1d = conv1d
convolution2d = conv2d
convolution3d = conv3d


def conv2d_transpose(*args, **kwargs):
    return _unfold(2, args, _with_scope("conv2d_transpose", kwargs))


def conv3d_transpose(*args, **kwargs):
    return _unfold(3, args, _with_scope("conv3d_transpose", kwargs))


def _unfold(count, arguments, options):
    def unfold(inputs, num_outputs, kernel_size, stride=1, padding="SAME", data_format="NHWC", activation_fn=None, normalizer_fn=None,
               normalizer_params=None, weights_initializer=None, weights_regularizer=None, biases_initializer=0, biases_regularizer=None, reuse=None,
               variables_collections=None, outputs_collections=None, trainable=True, scope=None, **others):
        shape = _transposed_shape(count, inputs, num_outputs, kernel_size, stride, padding, data_format)
        weights = [("weights", _each(kernel_size, count) + (num_outputs, _channels(inputs, data_format)))]
        _make_weights(scope, "Conv2d_transpose", reuse, trainable, weights, weights_regularizer)
        return _made(shape, inputs)
    return unfold(*arguments, **options)


convolution2d_transpose = conv2d_transpose
convolution3d_transpose = conv3d_transpose


def separable_conv2d(*args, **kwargs):
    return _separated(*args, **_with_scope("separable_conv2d", kwargs))


separable_convolution2d = separable_conv2d


def _separated(inputs, num_outputs, kernel_size, depth_multiplier=1, stride=1, padding="SAME", data_format="NHWC", rate=1, activation_fn=None,
               normalizer_fn=None, normalizer_params=None, weights_initializer=None, pointwise_initializer=None, weights_regularizer=None,
               biases_initializer=0, biases_regularizer=None, reuse=None, variables_collections=None, outputs_collections=None, trainable=True,
               scope=None, **others):
    judge(inputs.ndim == 4, "the input of a separable convolution has axes of batches, rows, columns and channels")
    outputs = _channels(inputs, data_format) * depth_multiplier if num_outputs is None else num_outputs
    shape = _conv_shape(2, inputs, outputs, kernel_size, stride, padding, data_format, rate)
    weights = [("depthwise_weights", _each(kernel_size, 2) + (_channels(inputs, data_format), depth_multiplier))]
    _make_weights(scope, "SeparableConv2d", reuse, trainable, weights, weights_regularizer)
    return _made(shape, inputs)


def fully_connected(*args, **kwargs):
    return _connected(*args, **_with_scope("fully_connected", kwargs))


def linear(*args, **kwargs):
    return _connected(*args, **_with_scope("fully_connected", kwargs))


relu = relu6 = linear


def _connected(inputs, num_outputs, activation_fn=None, normalizer_fn=None, normalizer_params=None, weights_initializer=None, weights_regularizer=None,
               biases_initializer=0, biases_regularizer=None, reuse=None, variables_collections=None, outputs_collections=None, trainable=True,
               scope=None):
    judge(inputs.ndim >= 2, "a fully connected layer takes an input with an axis of batches")
    shape = _dense_shape(inputs, num_outputs)
    _make_weights(scope, "fully_connected", reuse, trainable, [("weights", (_defined(inputs.shape[-1]), num_outputs))], weights_regularizer)
    return _made(shape, inputs)


def _pool(count, name, arguments, options):
    def pool(inputs, kernel_size, stride=2, padding="VALID", data_format=None, outputs_collections=None, scope=None):
        return _made(_pool_shape(count, inputs, kernel_size, stride, padding, data_format), inputs)
    return pool(*arguments, **_with_scope(name, options))


def max_pool2d(*args, **kwargs):
    return _pool(2, "max_pool2d", args, kwargs)


def avg_pool2d(*args, **kwargs):
    return _pool(2, "avg_pool2d", args, kwargs)


def max_pool3d(*args, **kwargs):
    return _pool(3, "max_pool3d", args, kwargs)


def avg_pool3d(*args, **kwargs):
    return _pool(3, "avg_pool3d", args, kwargs)


def flatten(inputs, outputs_collections=None, scope=None):
    return _made(_flat_shape(inputs), inputs)


def dropout(inputs, keep_prob=0.5, noise_shape=None, is_training=True, outputs_collections=None, scope=None, seed=None):
    return _made(inputs.shape, inputs)


def batch_norm(inputs, decay=0.999, center=True, scale=False, epsilon=0.001, activation_fn=None, param_initializers=None, param_regularizers=None,
               updates_collections=None, is_training=True, reuse=None, variables_collections=None, outputs_collections=None, trainable=True,
               batch_weights=None, fused=None, data_format="NHWC", zero_debias_moving_mean=False, scope=None, renorm=False, renorm_clipping=None,
               renorm_decay=0.99, adjustment=None):
    _make_weights(scope, "BatchNorm", reuse, trainable, [("beta", (_channels(inputs, data_format),))])
    return _made(inputs.shape, inputs)


def layer_norm(inputs, center=True, scale=True, activation_fn=None, reuse=None, variables_collections=None, outputs_collections=None, trainable=True,
               begin_norm_axis=1, begin_params_axis=-1, scope=None):
    return _made(inputs.shape, inputs)


instance_norm = group_norm = layer_norm


def bias_add(inputs, activation_fn=None, initializer=None, regularizer=None, reuse=None, variables_collections=None, outputs_collections=None,
             trainable=True, data_format=None, scope=None):
    return _made(inputs.shape, inputs)


def unit_norm(inputs, dim, epsilon=1e-7, scope=None):
    return _made(inputs.shape, inputs)


def softmax(logits, scope=None):
    return _made(logits.shape, logits)


def one_hot_encoding(labels, num_classes, on_value=1.0, off_value=0.0, outputs_collections=None, scope=None):
    import tensorflow as _tf
    return _tf.one_hot(labels, num_classes, dtype=_tf.float32)


def repeat(inputs, repetitions, layer, *args, **kwargs):
    from tensorflow._v1variables import variable_scope
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Repeat"):
        name = "Repeat" if scope is None else scope
        outputs = inputs
        for number in range(repetitions):
            outputs = layer(outputs, *args, scope=name + "_" + str(number + 1), **kwargs)
    return outputs


def stack(inputs, layer, stack_args, **kwargs):
    from tensorflow._v1variables import variable_scope
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Stack"):
        name = "Stack" if scope is None else scope
        outputs = inputs
        for number, given in enumerate(stack_args):
            given = given if isinstance(given, (list, tuple)) else [given]
            outputs = layer(outputs, *given, scope=name + "_" + str(number + 1), **kwargs)
    return outputs


def embed_sequence(ids, vocab_size=None, embed_dim=None, unique=False, initializer=None, regularizer=None, trainable=True, scope=None, reuse=None):
    import tensorflow as _tf
    ids = _tf.convert_to_tensor(ids)
    return tensor(ids.shape + (embed_dim,), _tf.float32, "tensorflow.Tensor")


def legacy_fully_connected(x, num_output_units, *arguments, **options):
    return _made(_dense_shape(x, num_output_units), x)


def l2_regularizer(scale, scope=None):
    return _Regularizer()


def l1_regularizer(scale, scope=None):
    return _Regularizer()


def l1_l2_regularizer(scale_l1=1.0, scale_l2=1.0, scope=None):
    return _Regularizer()


def sum_regularizer(regularizer_list, scope=None):
    return _Regularizer()


class _Regularizer:
    def __call__(self, weights):
        import tensorflow as _tf
        return tensor((), _tf.float32, "tensorflow.Tensor")


def apply_regularization(regularizer, weights_list=None):
    import tensorflow as _tf
    return tensor((), _tf.float32, "tensorflow.Tensor")


def xavier_initializer(uniform=True, seed=None, dtype=None):
    return _Initializer()


def variance_scaling_initializer(factor=2.0, mode="FAN_IN", uniform=False, seed=None, dtype=None):
    return _Initializer()


xavier_initializer_conv2d = xavier_initializer


class _Initializer:
    def __call__(self, shape, dtype=None, partition_info=None):
        import tensorflow as _tf
        return _tf.zeros(shape)


def optimize_loss(loss, global_step, learning_rate, optimizer, *arguments, **options):
    return _made((), loss)


def summarize_activation(op):
    return outside("summary")


summarize_activations = summarize_tensor = summarize_tensors = summarize_collection = summarize_activation

# The layers of version 1 as objects. A layer makes its weights when it is first called, and takes the same number of channels ever after.
from harp_library import judge, tensor
from tensorflow._v1layers import _channels, _conv_shape, _defined, _dense_shape, _flat_shape, _made, _make_weights, _pool_shape, _transposed_shape
from tensorflow._v1windows import _each


class Layer:
    def __init__(self, trainable=True, name=None, dtype=None, **kwargs):
        self._start(name, trainable)

    def _start(self, name=None, trainable=True):
        self.name, self.trainable = name, trainable
        self.built, self._size = False, None
        self.kernel = self.bias = None
        self.trainable_weights = self.weights = self.variables = self.trainable_variables = self.updates = self.losses = []

    def _build(self, size, default, shapes):
        """Makes the weights of a layer that takes so many channels, or looks whether they are for so many."""
        if self._size is None:
            self._size, self.built = size, True
            _make_weights(self.name, default, True, self.trainable, shapes)
            made = [_weight(shape) for part, shape in shapes]
            self.kernel, self.weights = made[0], made
            self.bias = made[-1]
            self.trainable_weights = self.variables = self.trainable_variables = made
        judge(size == self._size, "the layer was called with another number of channels before; its weights are made once")

    def build(self, input_shape):
        self.built = True

    def apply(self, inputs, *args, **kwargs):
        return self(inputs, *args, **kwargs)

    def __call__(self, inputs, *args, **kwargs):
        if not self.built:
            self.build(inputs.shape)
            self.built = True
        return self.call(inputs, *args, **kwargs)

    def call(self, inputs, *args, **kwargs):
        return inputs

    def add_variable(self, name, shape, dtype=None, initializer=None, regularizer=None, trainable=True, **kwargs):
        return _weight(tuple(shape))

    add_weight = add_variable

    def add_update(self, updates, inputs=None):
        pass

    def add_loss(self, losses, inputs=None):
        pass


def _weight(shape):
    import tensorflow as _tf
    return tensor(shape, _tf.float32, "tensorflow.Tensor")


class Dense(Layer):
    def __init__(self, units, activation=None, use_bias=True, kernel_initializer=None, bias_initializer=None, kernel_regularizer=None,
                 bias_regularizer=None, activity_regularizer=None, kernel_constraint=None, bias_constraint=None, trainable=True, name=None, **kwargs):
        self._start(name, trainable)
        self.units, self.activation, self.use_bias = units, activation, use_bias

    def __call__(self, inputs, *args, **kwargs):
        shape = _dense_shape(inputs, self.units)
        kernel = ("kernel", (_defined(inputs.shape[-1]), self.units))
        self._build(inputs.shape[-1], "dense", [kernel, ("bias", (self.units,))] if self.use_bias else [kernel])
        return _made(shape, inputs)


class _Conv(Layer):
    _axes, _name = 2, "conv2d"

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1, activation=None, use_bias=True,
                 kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, trainable=True, name=None, **kwargs):
        self._start(name, trainable)
        self.filters, self.kernel_size, self.strides, self.padding = filters, kernel_size, strides, padding
        self.data_format, self.dilation_rate, self.use_bias = data_format, dilation_rate, use_bias

    def __call__(self, inputs, *args, **kwargs):
        shape = _conv_shape(self._axes, inputs, self.filters, self.kernel_size, self.strides, self.padding, self.data_format, self.dilation_rate)
        channels = _channels(inputs, self.data_format)
        kernel = ("kernel", _each(self.kernel_size, self._axes) + (channels, self.filters))
        self._build(channels, self._name, [kernel, ("bias", (self.filters,))] if self.use_bias else [kernel])
        return _made(shape, inputs)


class Conv1D(_Conv):
    _axes, _name = 1, "conv1d"


class Conv2D(_Conv):
    _axes, _name = 2, "conv2d"


class Conv3D(_Conv):
    _axes, _name = 3, "conv3d"


class _Separable(_Conv):
    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", dilation_rate=1, depth_multiplier=1, activation=None,
                 use_bias=True, *arguments, trainable=True, name=None, **kwargs):
        super().__init__(filters, kernel_size, strides, padding, data_format, dilation_rate, trainable=trainable, name=name)


class SeparableConv1D(_Separable):
    _axes, _name = 1, "separable_conv1d"


class SeparableConv2D(_Separable):
    _axes, _name = 2, "separable_conv2d"


class _Transposed(Layer):
    _axes, _name = 2, "conv2d_transpose"

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format="channels_last", activation=None, use_bias=True,
                 kernel_initializer=None, bias_initializer=None, kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, bias_constraint=None, trainable=True, name=None, **kwargs):
        self._start(name, trainable)
        self.filters, self.kernel_size, self.strides, self.padding = filters, kernel_size, strides, padding
        self.data_format, self.use_bias = data_format, use_bias

    def __call__(self, inputs, *args, **kwargs):
        shape = _transposed_shape(self._axes, inputs, self.filters, self.kernel_size, self.strides, self.padding, self.data_format)
        channels = _channels(inputs, self.data_format)
        kernel = ("kernel", _each(self.kernel_size, self._axes) + (self.filters, channels))
        self._build(channels, self._name, [kernel, ("bias", (self.filters,))] if self.use_bias else [kernel])
        return _made(shape, inputs)


class Conv2DTranspose(_Transposed):
    _axes, _name = 2, "conv2d_transpose"


class Conv3DTranspose(_Transposed):
    _axes, _name = 3, "conv3d_transpose"


class _Pool(Layer):
    _axes = 2

    def __init__(self, pool_size, strides, padding="valid", data_format="channels_last", name=None, **kwargs):
        self._start(name)
        self.pool_size, self.strides, self.padding, self.data_format = pool_size, strides, padding, data_format

    def __call__(self, inputs, *args, **kwargs):
        return _made(_pool_shape(self._axes, inputs, self.pool_size, self.strides, self.padding, self.data_format), inputs)


class MaxPooling1D(_Pool):
    _axes = 1


class MaxPooling2D(_Pool):
    _axes = 2


class MaxPooling3D(_Pool):
    _axes = 3


class AveragePooling1D(_Pool):
    _axes = 1


class AveragePooling2D(_Pool):
    _axes = 2


class AveragePooling3D(_Pool):
    _axes = 3


class Flatten(Layer):
    def __init__(self, data_format=None, **kwargs):
        self._start()

    def __call__(self, inputs, *args, **kwargs):
        return _made(_flat_shape(inputs), inputs)


class Dropout(Layer):
    def __init__(self, rate=0.5, noise_shape=None, seed=None, name=None, **kwargs):
        self._start(name)

    def __call__(self, inputs, training=False, *args, **kwargs):
        return _made(inputs.shape, inputs)


class BatchNormalization(Layer):
    def __init__(self, axis=-1, momentum=0.99, epsilon=0.001, center=True, scale=True, *arguments, trainable=True, name=None, **kwargs):
        self._start(name, trainable)
        self.axis = axis

    def __call__(self, inputs, training=False, *args, **kwargs):
        axes = (self.axis,) if isinstance(self.axis, int) else tuple(self.axis)
        sizes = tuple([_defined(inputs.shape[place]) for place in axes])
        self._build(sizes[0], "batch_normalization", [("gamma", sizes), ("beta", sizes)])
        return _made(inputs.shape, inputs)

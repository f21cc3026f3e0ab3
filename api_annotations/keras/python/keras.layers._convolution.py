# Layers that run a kernel over one, two or three axes.
from harp_library import is_known, require
from keras._shapes import _is_first, _is_open, _made, _several, _tensor, _window
from keras.layers._core import _activated
from keras.layers._layer import Layer


class _Convolution(Layer):
    """What all convolutions share. A window is no larger than the input, where nothing is filled up."""

    _count = 2

    def _set(self, kernel_size, strides, padding, data_format, dilation_rate=1, groups=1, activation=None, use_bias=True):
        self.kernel_size, self.strides = _several(kernel_size, self._count), _several(strides, self._count)
        self.dilation_rate = _several(dilation_rate, self._count)
        self.padding, self.data_format, self.groups = padding.lower(), data_format, groups
        self.activation, self.use_bias = activation, use_bias
        require(len(self.kernel_size) == self._count, f"the kernel must have {self._count} sizes")
        require(len(self.strides) == self._count, f"there must be {self._count} strides")
        require(len(self.dilation_rate) == self._count, f"there must be {self._count} dilation rates")

    def _channels_of(self, shape):
        return shape[1] if _is_first(self.data_format) else shape[-1]

    def _space_of(self, shape):
        return shape[2:] if _is_first(self.data_format) else shape[1:-1]

    def _checked(self, inputs):
        require(inputs.ndim == self._count + 2, f"the layer takes an input with {self._count + 2} axes")
        require(self._channels_of(inputs.shape) == self._channels, "the channels of the input are not those that the layer was built for")

    def _begin_build(self, input_shape):
        require(len(input_shape) == self._count + 2, f"the layer takes an input with {self._count + 2} axes")
        self._channels = self._channels_of(input_shape)
        require(not _is_open(self._channels), "the number of channels must be known")

    def _windows_over(self, inputs):
        space = self._space_of(inputs.shape)
        found = []
        for place in range(self._count):
            size, kernel, dilation = space[place], self.kernel_size[place], self.dilation_rate[place]
            if self.padding == "valid":
                require(size >= (kernel - 1) * dilation + 1, "the kernel is larger than the input")
            found.append(_window(size, kernel, self.strides[place], dilation, self.padding))
        return tuple(found)

    def _result(self, inputs, space, channels):
        shape = inputs.shape[:1] + (channels,) + space if _is_first(self.data_format) else inputs.shape[:1] + space + (channels,)
        return _activated(self.activation, _made(shape))


class _Dense(_Convolution):
    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1, groups=1, activation=None,
                 use_bias=True, *arguments, **options):
        self._begin(**options)
        self.filters = filters
        self._set(kernel_size, strides, padding, data_format, dilation_rate, groups, activation, use_bias)
        if filters is not None:
            require(filters % groups == 0, "the filters cannot be divided into the groups")

    def build(self, input_shape):
        self._begin_build(input_shape)
        require(self._channels % self.groups == 0, "the channels of the input cannot be divided into the groups")
        self.kernel = self.add_weight(self.kernel_size + (self._channels // self.groups, self.filters))
        self.bias = self.add_weight((self.filters,)) if self.use_bias else None
        self.built = True

    def call(self, inputs, training=None):
        inputs = _tensor(inputs)
        self._checked(inputs)
        return self._result(inputs, self._windows_over(inputs), self.filters)


class Conv1D(_Dense):
    _count = 1


class Conv2D(_Dense):
    _count = 2


class Conv3D(_Dense):
    _count = 3


class _Depthwise(_Convolution):
    def __init__(self, kernel_size, strides=1, padding="valid", depth_multiplier=1, data_format=None, dilation_rate=1, activation=None,
                 use_bias=True, *arguments, **options):
        self._begin(**options)
        self.depth_multiplier = depth_multiplier
        self._set(kernel_size, strides, padding, data_format, dilation_rate, 1, activation, use_bias)

    def build(self, input_shape):
        self._begin_build(input_shape)
        self.kernel = self.add_weight(self.kernel_size + (self._channels, self.depth_multiplier))
        self.bias = self.add_weight((self._channels * self.depth_multiplier,)) if self.use_bias else None
        self.built = True

    def call(self, inputs, training=None):
        inputs = _tensor(inputs)
        self._checked(inputs)
        return self._result(inputs, self._windows_over(inputs), self._channels * self.depth_multiplier)


class DepthwiseConv1D(_Depthwise):
    _count = 1


class DepthwiseConv2D(_Depthwise):
    _count = 2


class _Separable(_Convolution):
    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1, depth_multiplier=1, activation=None,
                 use_bias=True, *arguments, **options):
        self._begin(**options)
        self.filters, self.depth_multiplier = filters, depth_multiplier
        self._set(kernel_size, strides, padding, data_format, dilation_rate, 1, activation, use_bias)

    def build(self, input_shape):
        self._begin_build(input_shape)
        self.depthwise_kernel = self.add_weight(self.kernel_size + (self._channels, self.depth_multiplier))
        self.pointwise_kernel = self.add_weight((1,) * self._count + (self._channels * self.depth_multiplier, self.filters))
        self.bias = self.add_weight((self.filters,)) if self.use_bias else None
        self.built = True

    def call(self, inputs, training=None):
        inputs = _tensor(inputs)
        self._checked(inputs)
        return self._result(inputs, self._windows_over(inputs), self.filters)


class SeparableConv1D(_Separable):
    _count = 1


class SeparableConv2D(_Separable):
    _count = 2


def _grown(size, kernel, stride, dilation, padding, extra):
    """How long an axis becomes by a transposed convolution."""
    reach = (kernel - 1) * dilation + 1
    if extra is None:
        return size * stride if padding == "same" else size * stride + max(reach - stride, 0)
    if padding == "same":
        return (size - 1) * stride + reach - 2 * (reach // 2) + extra
    return (size - 1) * stride + reach + extra


class _Transposed(_Convolution):
    def __init__(self, filters, kernel_size, strides=1, padding="valid", output_padding=None, data_format=None, dilation_rate=1,
                 activation=None, use_bias=True, *arguments, **options):
        self._begin(**options)
        self._set_all(filters, kernel_size, strides, padding, output_padding, data_format, dilation_rate, activation, use_bias)

    def _set_all(self, filters, kernel_size, strides, padding, output_padding, data_format, dilation_rate, activation, use_bias):
        self.filters = filters
        self.output_padding = None if output_padding is None else _several(output_padding, self._count)
        self._set(kernel_size, strides, padding, data_format, dilation_rate, 1, activation, use_bias)

    def build(self, input_shape):
        self._begin_build(input_shape)
        self.kernel = self.add_weight(self.kernel_size + (self.filters, self._channels))
        self.bias = self.add_weight((self.filters,)) if self.use_bias else None
        self.built = True

    def call(self, inputs, training=None):
        inputs = _tensor(inputs)
        self._checked(inputs)
        space, found = self._space_of(inputs.shape), []
        for place in range(self._count):
            extra = None if self.output_padding is None else self.output_padding[place]
            if extra is not None:
                require(extra < self.strides[place], "what is added at the end must be smaller than the stride")
            found.append(_grown(space[place], self.kernel_size[place], self.strides[place], self.dilation_rate[place], self.padding, extra))
        return self._result(inputs, tuple(found), self.filters)


class Conv1DTranspose(_Transposed):
    _count = 1


class Conv2DTranspose(_Transposed):
    _count = 2


class Conv3DTranspose(_Transposed):
    _count = 3

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None, output_padding=None, dilation_rate=1,
                 activation=None, use_bias=True, *arguments, **options):
        self._begin(**options)
        self._set_all(filters, kernel_size, strides, padding, output_padding, data_format, dilation_rate, activation, use_bias)


Convolution1D = Conv1D
Convolution2D = Conv2D
Convolution3D = Conv3D
Convolution1DTranspose = Conv1DTranspose
Convolution2DTranspose = Conv2DTranspose
Convolution3DTranspose = Conv3DTranspose
Deconvolution2D = Conv2DTranspose
Deconvolution3D = Conv3DTranspose
SeparableConvolution1D = SeparableConv1D
SeparableConvolution2D = SeparableConv2D

# Convolutions and pools.
from haiku._frames import Module
from harp_library import judge, require, tensor
from jax import lax
from jax.numpy import expand_dims, squeeze


def _each(value, count):
    if isinstance(value, int):
        return (value,) * count
    require(len(value) == count, f"expected {count} numbers, one for each axis of the window, got {len(value)}")
    return tuple(value)


def _formats(data_format, count):
    # The order of the axes as letters, and whether the channels are the last one.
    last = data_format in ("channels_last", "NWC", "NHWC", "NDHWC")
    windows = "DHW"[3 - count :]
    return ("N" + windows + "C" if last else "NC" + windows), windows + "IO", last


class _Windows(Module, scoped=False):
    def _several(self, inputs):
        # The batch of inputs, and whether there was none.
        count = self.num_spatial_dims
        judge(inputs.ndim >= count + 1, f"the input of a convolution with {count} window axes has {count + 1} or {count + 2} axes, got {inputs.ndim}")
        judge(inputs.ndim <= count + 2, f"the input of a convolution with {count} window axes has {count + 1} or {count + 2} axes, got {inputs.ndim}")
        single = inputs.ndim == count + 1
        return (expand_dims(inputs, 0) if single else inputs), single

    def _with_bias(self, out, last, single):
        if self.with_bias:
            channels = (self.output_channels,)
            self._weight("b", channels if last else channels + (1,) * self.num_spatial_dims, out.dtype, self.b_init)
        return squeeze(out, 0) if single else out


class ConvND(_Windows, scoped=False):
    def __init__(
        self, num_spatial_dims, output_channels, kernel_shape, stride=1, rate=1, padding="SAME", with_bias=True, w_init=None, b_init=None,
        data_format="channels_last", mask=None, feature_group_count=1, name=None,
    ):
        super().__init__(name=name)
        self.num_spatial_dims, self.output_channels, self.kernel_shape = num_spatial_dims, output_channels, _each(kernel_shape, num_spatial_dims)
        self.stride, self.rate, self.padding, self.with_bias = stride, rate, padding, with_bias
        self.w_init, self.b_init, self.data_format, self.feature_group_count = w_init, b_init, data_format, feature_group_count

    def __call__(self, inputs, *, precision=None):
        count, groups = self.num_spatial_dims, self.feature_group_count
        letters, kernel, last = _formats(self.data_format, count)
        inputs, single = self._several(inputs)
        channels = inputs.shape[-1 if last else 1]
        if groups != 1:
            require(channels % groups == 0, f"the {channels} channels of the input cannot be divided into {groups} groups")
        w = self._weight("w", self.kernel_shape + (channels // groups, self.output_channels), inputs.dtype, self.w_init)
        padding = [tuple(pad) for pad in self.padding] if isinstance(self.padding, (list, tuple)) else self.padding
        out = lax.conv_general_dilated(
            inputs, w, _each(self.stride, count), padding, rhs_dilation=_each(self.rate, count), dimension_numbers=(letters, kernel, letters),
            feature_group_count=groups,
        )
        return self._with_bias(out, last, single)


class _Conv(ConvND, scoped=False):
    _axes = 2

    def __init__(
        self, output_channels, kernel_shape, stride=1, rate=1, padding="SAME", with_bias=True, w_init=None, b_init=None,
        data_format="channels_last", mask=None, feature_group_count=1, name=None,
    ):
        super().__init__(
            self._axes, output_channels, kernel_shape, stride, rate, padding, with_bias, w_init, b_init, data_format, mask, feature_group_count, name
        )


class Conv1D(_Conv, scoped=False):
    _axes = 1


class Conv2D(_Conv, scoped=False):
    pass


class Conv3D(_Conv, scoped=False):
    _axes = 3


class ConvNDTranspose(_Windows, scoped=False):
    def __init__(
        self, num_spatial_dims, output_channels, kernel_shape, stride=1, output_shape=None, padding="SAME", with_bias=True, w_init=None, b_init=None,
        data_format="channels_last", mask=None, name=None,
    ):
        super().__init__(name=name)
        self.num_spatial_dims, self.output_channels, self.kernel_shape = num_spatial_dims, output_channels, _each(kernel_shape, num_spatial_dims)
        self.stride, self.output_shape, self.padding, self.with_bias = stride, output_shape, padding, with_bias
        self.w_init, self.b_init, self.data_format = w_init, b_init, data_format

    def __call__(self, inputs, *, precision=None):
        count = self.num_spatial_dims
        letters, kernel, last = _formats(self.data_format, count)
        inputs, single = self._several(inputs)
        channels = inputs.shape[-1 if last else 1]
        w = self._weight("w", self.kernel_shape + (self.output_channels, channels), inputs.dtype, self.w_init)
        if self.output_shape is not None:
            sizes = _each(self.output_shape, count)
            shape = (inputs.shape[0],) + sizes + (self.output_channels,) if last else (inputs.shape[0], self.output_channels) + sizes
            return self._with_bias(tensor(shape, inputs.dtype, "jax.Array"), last, single)
        numbers = (letters, kernel, letters)
        out = lax.conv_transpose(inputs, w, _each(self.stride, count), self.padding, dimension_numbers=numbers, transpose_kernel=True)
        return self._with_bias(out, last, single)


class _Transposed(ConvNDTranspose, scoped=False):
    _axes = 2

    def __init__(
        self, output_channels, kernel_shape, stride=1, output_shape=None, padding="SAME", with_bias=True, w_init=None, b_init=None,
        data_format="channels_last", mask=None, name=None,
    ):
        super().__init__(self._axes, output_channels, kernel_shape, stride, output_shape, padding, with_bias, w_init, b_init, data_format, mask, name)


class Conv1DTranspose(_Transposed, scoped=False):
    _axes = 1


class Conv2DTranspose(_Transposed, scoped=False):
    pass


class Conv3DTranspose(_Transposed, scoped=False):
    _axes = 3


class DepthwiseConv2D(_Windows, scoped=False):
    _axes = 2

    def __init__(
        self, channel_multiplier, kernel_shape, stride=1, rate=1, padding="SAME", with_bias=True, w_init=None, b_init=None,
        data_format="channels_last", name=None,
    ):
        super().__init__(name=name)
        self.num_spatial_dims, self.channel_multiplier, self.kernel_shape = self._axes, channel_multiplier, _each(kernel_shape, self._axes)
        self.stride, self.rate, self.padding, self.with_bias = stride, rate, padding, with_bias
        self.w_init, self.b_init, self.data_format = w_init, b_init, data_format

    def __call__(self, inputs):
        count = self.num_spatial_dims
        letters, kernel, last = _formats(self.data_format, count)
        inputs, single = self._several(inputs)
        channels = inputs.shape[-1 if last else 1]
        self.output_channels = channels * self.channel_multiplier
        w = self._weight("w", self.kernel_shape + (1, self.output_channels), inputs.dtype, self.w_init)
        out = lax.conv_general_dilated(
            inputs, w, _each(self.stride, count), self.padding, rhs_dilation=_each(self.rate, count), dimension_numbers=(letters, kernel, letters),
            feature_group_count=channels,
        )
        return self._with_bias(out, last, single)


class DepthwiseConv1D(DepthwiseConv2D, scoped=False):
    _axes = 1


class DepthwiseConv3D(DepthwiseConv2D, scoped=False):
    _axes = 3


def _window(value, sizes, channel_axis):
    # A window for all axes: a number says nothing of the batch and the channels, and several ones nothing of the first axes.
    count = len(value.shape)
    if isinstance(sizes, int):
        channel = None if channel_axis is None else channel_axis % count
        return tuple([1 if axis == 0 or axis == channel else sizes for axis in range(count)])
    sizes = tuple(sizes)
    return (1,) * (count - len(sizes)) + sizes


def _pooled(value, window_shape, strides, padding, channel_axis):
    return lax.reduce_window(value, 0.0, lax.max, _window(value, window_shape, channel_axis), _window(value, strides, channel_axis), padding)


def max_pool(value, window_shape, strides, padding, channel_axis=-1):
    return _pooled(value, window_shape, strides, padding, channel_axis)


def avg_pool(value, window_shape, strides, padding, channel_axis=-1):
    return _pooled(value, window_shape, strides, padding, channel_axis)


class MaxPool(Module, scoped=False):
    def __init__(self, window_shape, strides, padding, channel_axis=-1, name=None):
        super().__init__(name=name)
        self.window_shape, self.strides, self.padding, self.channel_axis = window_shape, strides, padding, channel_axis

    def __call__(self, value):
        return _pooled(value, self.window_shape, self.strides, self.padding, self.channel_axis)


class AvgPool(MaxPool, scoped=False):
    pass

# Convolutions: the channels are the last axis, and any number of axes stand before the windows.
import numpy as np
from flax.linen._windows import _dilated, _each, _places, _transposed, _windows, _with_windows
from flax.linen.linear import _computed, _several
from flax.linen.module import Module
from harp_library import judge, require


class _Convolution(Module):
    _adopts = False
    features: int
    kernel_size: object
    strides: object = 1
    padding: object = "SAME"
    input_dilation: object = 1
    kernel_dilation: object = 1
    feature_group_count: int = 1
    use_bias: bool = True
    mask: object = None
    dtype: object = None
    param_dtype: object = np.float32
    precision: object = None
    kernel_init: object = None
    bias_init: object = None
    promote_dtype: object = None
    conv_general_dilated: object = None
    conv_general_dilated_cls: object = None

    def _sizes(self, inputs, windows):
        count = len(windows)
        judge(inputs.ndim >= count + 1, f"the input of a convolution with {count} window axes needs at least {count + 1} axes, got {inputs.ndim}")
        return _windows(
            inputs, windows, _each(self.strides, count), self.padding, _each(self.kernel_dilation, count), _each(self.input_dilation, count)
        )


class Conv(_Convolution):
    def __call__(self, inputs):
        windows, groups = _several(self.kernel_size), self.feature_group_count
        sizes = self._sizes(inputs, windows)
        channels = inputs.shape[-1]
        if groups != 1:
            require(channels % groups == 0, f"the {channels} channels of the input cannot be divided into {groups} groups")
            require(self.features % groups == 0, f"the {self.features} features cannot be divided into {groups} groups")
        self._weight("kernel", *windows, channels // groups, self.features)
        if self.use_bias:
            self._weight("bias", self.features)
        return _with_windows(inputs, sizes, self.features, _computed(self.dtype, self.param_dtype, inputs))


class ConvLocal(_Convolution):
    def __call__(self, inputs):
        windows = _several(self.kernel_size)
        sizes = self._sizes(inputs, windows)
        volume = inputs.shape[-1]
        for size in windows:
            volume = volume * size
        self._weight("kernel", *sizes, volume, self.features)
        if self.use_bias:
            self._weight("bias", *sizes, self.features)
        return _with_windows(inputs, sizes, self.features, _computed(self.dtype, self.param_dtype, inputs))


class ConvTranspose(Module):
    _adopts = False
    features: int
    kernel_size: object
    strides: object = None
    padding: object = "SAME"
    kernel_dilation: object = None
    use_bias: bool = True
    mask: object = None
    dtype: object = None
    param_dtype: object = np.float32
    precision: object = None
    kernel_init: object = None
    bias_init: object = None
    transpose_kernel: bool = False
    promote_dtype: object = None
    preferred_element_type: object = None

    def __call__(self, inputs):
        windows = _several(self.kernel_size)
        count = len(windows)
        judge(inputs.ndim >= count + 1, f"the input of a convolution with {count} window axes needs at least {count + 1} axes, got {inputs.ndim}")
        sizes = _transposed(inputs, windows, _each(self.strides, count), self.padding, _each(self.kernel_dilation, count))
        channels = inputs.shape[-1]
        if self.transpose_kernel:
            self._weight("kernel", *windows, self.features, channels)
        else:
            self._weight("kernel", *windows, channels, self.features)
        if self.use_bias:
            self._weight("bias", self.features)
        return _with_windows(inputs, sizes, self.features, _computed(self.dtype, self.param_dtype, inputs))

# Layers that scale their input by statistics of it.
import numpy as np
from harp_library import is_known, require
from keras._shapes import _axis, _is_open, _layer_dtype, _made, _tensor
from keras.layers._core import _Same
from keras.layers._layer import Layer


class _Normalized(Layer):
    """One weight for each index of the axes, whose sizes stay those of the first call."""

    def _build_over(self, input_shape, axes, scale, center, moving):
        for axis in axes:
            require(axis < len(input_shape), "the input lacks the axis of the normalization")
            require(axis >= -len(input_shape), "the input lacks the axis of the normalization")
        sizes = tuple([input_shape[axis] for axis in axes])
        self._places, self._sizes = [_axis(axis, len(input_shape)) for axis in axes], sizes
        self.gamma = self.add_weight(sizes) if scale else None
        self.beta = self.add_weight(sizes) if center else None
        if moving:
            self.moving_mean, self.moving_variance = self.add_weight(sizes, trainable=False), self.add_weight(sizes, trainable=False)
        for size in sizes:
            require(not _is_open(size), "the axis of a normalization must have a known size")
        self.built = True

    def _same_as_built(self, inputs):
        inputs = _tensor(inputs)
        for place, size in zip(self._places, self._sizes):
            require(inputs.ndim > place, "the input lacks the axis of the normalization")
            require(inputs.shape[place] == size, "the axis of the normalization does not have the size that the layer was built for")
        return _made(inputs.shape, _layer_dtype(inputs))


class BatchNormalization(_Normalized):
    def __init__(self, axis=-1, momentum=0.99, epsilon=0.001, center=True, scale=True, *arguments, **options):
        self._begin(**options)
        self.axis, self.center, self.scale, self.momentum, self.epsilon = axis, center, scale, momentum, epsilon

    def build(self, input_shape):
        axis = self.axis if isinstance(self.axis, (list, tuple)) else [self.axis]
        self._build_over(input_shape, axis, self.scale, self.center, True)

    def call(self, inputs, training=None, mask=None):
        return self._same_as_built(inputs)


SyncBatchNormalization = BatchNormalization


class LayerNormalization(_Normalized):
    def __init__(self, axis=-1, epsilon=0.001, center=True, scale=True, *arguments, **options):
        self._begin(**options)
        self.axis, self.center, self.scale, self.epsilon = axis, center, scale, epsilon

    def build(self, input_shape):
        axis = self.axis if isinstance(self.axis, (list, tuple)) else [self.axis]
        self._build_over(input_shape, axis, self.scale, self.center, False)

    def call(self, inputs, training=None):
        return self._same_as_built(inputs)


class RMSNormalization(_Normalized):
    def __init__(self, axis=-1, epsilon=1e-6, **options):
        self._begin(**options)
        self.axis = axis

    def build(self, input_shape):
        axis = self.axis if isinstance(self.axis, (list, tuple)) else [self.axis]
        self._build_over(input_shape, axis, True, False, False)

    def call(self, x):
        return self._same_as_built(x)


class GroupNormalization(_Normalized):
    def __init__(self, groups=32, axis=-1, epsilon=0.001, center=True, scale=True, *arguments, **options):
        self._begin(**options)
        self.groups, self.axis, self.center, self.scale = groups, axis, center, scale

    def build(self, input_shape):
        require(self.axis < len(input_shape), "the input lacks the axis of the normalization")
        size = input_shape[self.axis]
        require(not _is_open(size), "the axis of a normalization must have a known size")
        if self.groups != -1:
            require(size >= self.groups, "there are more groups than channels")
            require(size % self.groups == 0, "the channels cannot be divided into the groups")
        self._build_over(input_shape, [self.axis], self.scale, self.center, False)

    def call(self, inputs, training=None):
        return self._same_as_built(inputs)


class UnitNormalization(_Same):
    def __init__(self, axis=-1, **options):
        self._begin(**options)
        self.axis = axis if isinstance(axis, (list, tuple)) else [axis]

    def build(self, input_shape):
        for axis in self.axis:
            require(axis < len(input_shape), "the input lacks the axis of the normalization")
            require(axis >= -len(input_shape), "the input lacks the axis of the normalization")
        self.built = True


class SpectralNormalization(Layer):
    def __init__(self, layer, power_iterations=1, **options):
        self._begin(**options)
        self.layer = layer

    def call(self, inputs, training=None):
        return self.layer(inputs)


class Normalization(Layer):
    """Statistics are given, or adapted to data."""

    def __init__(self, axis=-1, mean=None, variance=None, invert=False, **options):
        self._begin(**options)
        self.axis, self.input_mean, self.input_variance = axis, mean, variance
        require((mean is None) == (variance is None), "the mean and the variance are given together")
        if isinstance(mean, (list, tuple)) and isinstance(variance, (list, tuple)):
            require(len(mean) == len(variance), "the mean and the variance must have the same shape")

    def adapt(self, data, *arguments, **options):
        pass

    def call(self, inputs):
        inputs = _tensor(inputs)
        return _made(inputs.shape)

# Layers that take the largest or the mean of windows, or of whole axes.
from harp_library import is_known, judge, require
from keras._shapes import _is_first, _is_open, _layer_dtype, _made, _several, _tensor, _window
from keras.layers._layer import Layer


class _Pool(Layer):
    _count = 2

    def __init__(self, pool_size=2, strides=None, padding="valid", data_format=None, name=None, **options):
        self._begin(name=name, **options)
        self.pool_size = _several(pool_size, self._count)
        self.strides = self.pool_size if strides is None else _several(strides, self._count)
        self.padding, self.data_format = padding.lower(), data_format
        require(len(self.pool_size) == self._count, f"the window must have {self._count} sizes")
        require(len(self.strides) == self._count, f"there must be {self._count} strides")

    def call(self, inputs, training=None):
        inputs = _tensor(inputs)
        require(inputs.ndim == self._count + 2, f"the layer takes an input with {self._count + 2} axes")
        shape = inputs.shape
        first = _is_first(self.data_format)
        space, found = shape[2:] if first else shape[1:-1], []
        # A model is not made with a window that is larger than its input; a tensor only loses the axis.
        least = 1 if _is_open(shape[0]) else 0
        for place in range(self._count):
            count = _window(space[place], self.pool_size[place], self.strides[place], 1, self.padding)
            require(count >= least, "the window is larger than the input")
            found.append(count)
        space = tuple(found)
        return _made(shape[:2] + space if first else shape[:1] + space + shape[-1:], _layer_dtype(inputs))


class MaxPooling1D(_Pool):
    _count = 1


class MaxPooling2D(_Pool):
    _count = 2


class MaxPooling3D(_Pool):
    _count = 3


class AveragePooling1D(_Pool):
    _count = 1


class AveragePooling2D(_Pool):
    _count = 2


class AveragePooling3D(_Pool):
    _count = 3


MaxPool1D = MaxPooling1D
MaxPool2D = MaxPooling2D
MaxPool3D = MaxPooling3D
AvgPool1D = AveragePooling1D
AvgPool2D = AveragePooling2D
AvgPool3D = AveragePooling3D


class _GlobalPool(Layer):
    _count = 2

    def __init__(self, data_format=None, keepdims=False, **options):
        self._begin(**options)
        self.data_format, self.keepdims = data_format, keepdims

    def call(self, inputs, mask=None, training=None):
        inputs = _tensor(inputs)
        require(inputs.ndim == self._count + 2, f"the layer takes an input with {self._count + 2} axes")
        return self._stepped(inputs)

    def _stepped(self, inputs):
        # At each step of another layer, the number of axes is not asked for.
        ones = (1,) * self._count if self.keepdims else ()
        shape = inputs.shape
        if _is_first(self.data_format):
            return _made(shape[:2] + ones + shape[2 + self._count:], _layer_dtype(inputs))
        return _made(shape[:1] + ones + shape[1 + self._count:], _layer_dtype(inputs))


class GlobalAveragePooling1D(_GlobalPool):
    _count = 1


class GlobalAveragePooling2D(_GlobalPool):
    _count = 2


class GlobalAveragePooling3D(_GlobalPool):
    _count = 3


class GlobalMaxPooling1D(_GlobalPool):
    _count = 1


class GlobalMaxPooling2D(_GlobalPool):
    _count = 2


class GlobalMaxPooling3D(_GlobalPool):
    _count = 3


GlobalAvgPool1D = GlobalAveragePooling1D
GlobalAvgPool2D = GlobalAveragePooling2D
GlobalAvgPool3D = GlobalAveragePooling3D
GlobalMaxPool1D = GlobalMaxPooling1D
GlobalMaxPool2D = GlobalMaxPooling2D
GlobalMaxPool3D = GlobalMaxPooling3D


class _AdaptivePool(Layer):
    _count = 2

    def __init__(self, output_size, data_format=None, **options):
        self._begin(**options)
        self.output_size, self.data_format = _several(output_size, self._count), data_format

    def call(self, inputs, training=None):
        inputs = _tensor(inputs)
        require(inputs.ndim == self._count + 2, f"the layer takes an input with {self._count + 2} axes")
        shape = inputs.shape
        return _made(shape[:2] + self.output_size if _is_first(self.data_format) else shape[:1] + self.output_size + shape[-1:],
                     _layer_dtype(inputs))


class AdaptiveAveragePooling1D(_AdaptivePool):
    _count = 1


class AdaptiveAveragePooling2D(_AdaptivePool):
    _count = 2


class AdaptiveAveragePooling3D(_AdaptivePool):
    _count = 3


class AdaptiveMaxPooling1D(_AdaptivePool):
    _count = 1


class AdaptiveMaxPooling2D(_AdaptivePool):
    _count = 2


class AdaptiveMaxPooling3D(_AdaptivePool):
    _count = 3

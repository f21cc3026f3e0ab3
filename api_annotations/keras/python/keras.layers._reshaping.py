# Layers that give their input another shape: axes that are merged, exchanged, repeated, filled up or cut.
from harp_library import free_size, is_known, judge, require
from keras._shapes import _is_first, _is_open, _layer_dtype, _made, _product, _several, _tensor
from keras.layers._layer import Layer


class Flatten(Layer):
    def __init__(self, data_format=None, **options):
        self._begin(**options)
        self.data_format = data_format

    def call(self, inputs, training=None):
        inputs = _tensor(inputs)
        return _made(inputs.shape[:1] + (_product(inputs.shape[1:]),), _layer_dtype(inputs))


class Reshape(Layer):
    def __init__(self, target_shape, **options):
        self._begin(**options)
        self.target_shape = (target_shape,) if isinstance(target_shape, int) else tuple(target_shape)

    def call(self, inputs, training=None):
        inputs = _tensor(inputs)
        if not is_known(len(self.target_shape)):
            return _made(None, _layer_dtype(inputs))
        total = _product(inputs.shape[1:])
        known = _product([size for size in self.target_shape if size != -1])
        message = "the total size of each sample must be unchanged"
        if -1 in self.target_shape:
            if _is_open(total):
                # What is not known is told by the data.
                return self._as(inputs, total // known)
            require(total % known == 0, message)
            return self._as(inputs, total // known)
        if _is_open(total):
            judge(total == known, message)
        else:
            require(total == known, message)
        return self._as(inputs, None)

    def _as(self, inputs, rest):
        sizes = tuple([rest if size == -1 else size for size in self.target_shape])
        return _made(inputs.shape[:1] + sizes, _layer_dtype(inputs))


class Permute(Layer):
    def __init__(self, dims, **options):
        self._begin(**options)
        self.dims = tuple(dims)
        require(sorted(self.dims) == list(range(1, len(self.dims) + 1)), "the axes are counted from 1, and each is named once")

    def call(self, inputs, training=None):
        inputs = _tensor(inputs)
        require(inputs.ndim == len(self.dims) + 1, "the input has another number of axes than the permutation names")
        return _made((inputs.shape[0],) + tuple([inputs.shape[place] for place in self.dims]), _layer_dtype(inputs))


class RepeatVector(Layer):
    def __init__(self, n, **options):
        self._begin(**options)
        self.n = n

    def call(self, inputs, training=None):
        inputs = _tensor(inputs)
        require(inputs.ndim == 2, "the layer takes an input with a batch and features")
        return _made((inputs.shape[0], self.n, inputs.shape[1]), _layer_dtype(inputs))


def _around(value, count):
    """What is added to or cut from both ends of each axis, as pairs."""
    if isinstance(value, int):
        return [(value, value)] * count
    if count == 1:
        return [tuple(value)] if isinstance(value, (list, tuple)) and len(value) == 2 else [(value[0], value[0])]
    return [(part, part) if isinstance(part, int) else tuple(part) for part in value]


class _Space(Layer):
    """What changes the sizes of the axes between the batch and the channels."""

    _count = 2

    def _is_first(self):
        return False

    def _sized(self, inputs, change):
        require(inputs.ndim == self._count + 2, f"the layer takes an input with {self._count + 2} axes")
        shape, first = inputs.shape, 2 if self._is_first() else 1
        space = tuple([change(shape[first + place], place) for place in range(self._count)])
        return _made(shape[:first] + space + shape[first + self._count:], _layer_dtype(inputs))


class ZeroPadding1D(_Space):
    _count = 1

    def __init__(self, padding=1, data_format=None, **options):
        self._begin(**options)
        self.padding, self.data_format = _around(padding, self._count), data_format
        require(len(self.padding) == self._count, f"{self._count} axes are filled up")

    def _is_first(self):
        return _is_first(self.data_format)

    def call(self, inputs, training=None):
        return self._sized(_tensor(inputs), lambda size, place: size + self.padding[place][0] + self.padding[place][1])


class ZeroPadding2D(ZeroPadding1D):
    _count = 2


class ZeroPadding3D(ZeroPadding1D):
    _count = 3


class Cropping1D(_Space):
    _count = 1

    def __init__(self, cropping=1, data_format=None, **options):
        self._begin(**options)
        self.cropping, self.data_format = _around(cropping, self._count), data_format
        require(len(self.cropping) == self._count, f"{self._count} axes are cut")

    def _is_first(self):
        return _is_first(self.data_format)

    def call(self, inputs, training=None):
        return self._sized(_tensor(inputs), self._cut)

    def _cut(self, size, place):
        left = size - self.cropping[place][0] - self.cropping[place][1]
        require(left >= 1, "what is cut must be smaller than the input")
        return left


class Cropping2D(Cropping1D):
    _count = 2


class Cropping3D(Cropping1D):
    _count = 3


class UpSampling1D(_Space):
    _count = 1

    def __init__(self, size=2, data_format=None, *arguments, **options):
        self._begin(**options)
        self.size, self.data_format = _several(size, self._count), data_format
        require(len(self.size) == self._count, f"{self._count} axes are made longer")

    def _is_first(self):
        return _is_first(self.data_format)

    def call(self, inputs, training=None):
        return self._sized(_tensor(inputs), lambda size, place: size * self.size[place])


class UpSampling2D(UpSampling1D):
    _count = 2


class UpSampling3D(UpSampling1D):
    _count = 3

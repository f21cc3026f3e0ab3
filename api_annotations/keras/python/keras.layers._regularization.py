# Layers that drop parts of their input, or add noise to it.
from harp_library import require
from keras._shapes import _layer_dtype, _made, _tensor
from keras.layers._core import _Same


class Dropout(_Same):
    def __init__(self, rate, noise_shape=None, seed=None, **options):
        self._begin(**options)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed


class AlphaDropout(Dropout):
    pass


class GaussianDropout(_Same):
    def __init__(self, rate, seed=None, **options):
        self._begin(**options)
        self.rate = rate


class GaussianNoise(_Same):
    def __init__(self, stddev, seed=None, **options):
        self._begin(**options)
        self.stddev = stddev


class SpatialDropout1D(_Same):
    _rank = 3

    def __init__(self, rate, *arguments, **options):
        self._begin(**options)
        self.rate = rate

    def call(self, inputs, training=None):
        inputs = _tensor(inputs)
        require(inputs.ndim == self._rank, f"the layer takes an input with {self._rank} axes")
        return _made(inputs.shape, _layer_dtype(inputs))


class SpatialDropout2D(SpatialDropout1D):
    _rank = 4


class SpatialDropout3D(SpatialDropout1D):
    _rank = 5

# Layers that stood beside TensorFlow before Keras had them.
from harp_library import require
from keras.layers._layer import Wrapper
from keras.layers._normalization import GroupNormalization as _GroupNormalization
from keras.layers._normalization import SpectralNormalization as _SpectralNormalization
from keras.layers._pooling import GlobalAveragePooling2D as _GlobalAveragePooling2D


class GroupNormalization(_GroupNormalization):
    pass


class InstanceNormalization(_GroupNormalization):
    # Each channel is a group, whatever `groups` says.
    def __init__(self, axis=-1, epsilon=1e-3, center=True, scale=True, *arguments, groups=-1, **options):
        super().__init__(groups=-1, axis=axis, epsilon=epsilon, center=center, scale=scale, **options)


class SpectralNormalization(_SpectralNormalization):
    pass


class WeightNormalization(Wrapper):
    def __init__(self, layer, data_init=True, **options):
        super().__init__(layer, **options)

    def call(self, inputs):
        return self.layer(inputs)


class AdaptiveAveragePooling2D(_GlobalAveragePooling2D):
    def __init__(self, output_size, data_format=None, **options):
        super().__init__(data_format=data_format, **options)
        self.output_size = (output_size, output_size) if isinstance(output_size, int) else tuple(output_size)

    def call(self, inputs):
        from harp_library import tensor
        require(len(inputs.shape) == 4, "the pool takes pictures in a batch")
        if self.data_format == "channels_first":
            return tensor(inputs.shape[:2] + self.output_size, inputs.dtype, "tensorflow.Tensor")
        return tensor((inputs.shape[0],) + self.output_size + (inputs.shape[3],), inputs.dtype, "tensorflow.Tensor")

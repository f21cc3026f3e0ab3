# Layers that stood beside Keras before it had them.
from keras.layers._normalization import GroupNormalization as _GroupNormalization
from tensorflow_addons.layers import InstanceNormalization as _InstanceNormalization


class GroupNormalization(_GroupNormalization):
    pass


class InstanceNormalization(_InstanceNormalization):
    # Without an axis one scale and one bias do for all.
    def __init__(self, axis=None, epsilon=1e-3, center=True, scale=True, *arguments, **options):
        super().__init__(-1 if axis is None else axis, epsilon, center, scale, **options)

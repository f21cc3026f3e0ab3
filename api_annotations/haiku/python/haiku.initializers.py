# What makes weights: each object takes a shape and a type.
import numpy as np
from harp_library import tensor


class Initializer:
    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, shape, dtype=np.float32):
        return tensor(shape, np.float32 if dtype is None else dtype, "jax.Array")


class Constant(Initializer):
    pass


class RandomNormal(Initializer):
    pass


class TruncatedNormal(Initializer):
    pass


class RandomUniform(Initializer):
    pass


class VarianceScaling(Initializer):
    def __init__(self, scale=1.0, mode="fan_in", distribution="truncated_normal", fan_in_axes=None):
        pass


class UniformScaling(Initializer):
    pass


class Orthogonal(Initializer):
    pass


class Identity(Initializer):
    pass

# Initializers: called with a shape, they give a tensor of it.
from harp_library import tensor


class _Initializer:
    def __init__(self, *arguments, **options):
        pass

    def __call__(self, shape, dtype=None, partition_info=None, **options):
        import tensorflow as _tf
        return tensor((shape,) if isinstance(shape, int) else tuple(shape), _tf.float32 if dtype is None else dtype, "tensorflow.Tensor")

    def get_config(self):
        return {}


class Initializer(_Initializer):
    pass


class zeros_initializer(_Initializer):
    pass


class ones_initializer(_Initializer):
    pass


class constant_initializer(_Initializer):
    pass


class random_normal_initializer(_Initializer):
    pass


class random_uniform_initializer(_Initializer):
    pass


class truncated_normal_initializer(_Initializer):
    pass


class variance_scaling_initializer(_Initializer):
    pass


class orthogonal_initializer(_Initializer):
    pass


class glorot_normal_initializer(_Initializer):
    pass


class glorot_uniform_initializer(_Initializer):
    pass


class uniform_unit_scaling_initializer(_Initializer):
    pass

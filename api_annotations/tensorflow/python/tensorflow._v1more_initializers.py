# Initializers that version 1 has in `tf.initializers` alone.
from tensorflow._v1initializers import (
    _Initializer, constant_initializer, glorot_normal_initializer, glorot_uniform_initializer, ones_initializer, orthogonal_initializer,
    random_normal_initializer, random_uniform_initializer, truncated_normal_initializer, uniform_unit_scaling_initializer, variance_scaling_initializer,
    zeros_initializer)

class he_normal(_Initializer):
    pass


class he_uniform(_Initializer):
    pass


class lecun_normal(_Initializer):
    pass


class lecun_uniform(_Initializer):
    pass


class identity(_Initializer):
    pass


class constant(_Initializer):
    pass


class zeros(_Initializer):
    pass


class ones(_Initializer):
    pass


class random_normal(_Initializer):
    pass


class random_uniform(_Initializer):
    pass


class truncated_normal(_Initializer):
    pass


class variance_scaling(_Initializer):
    pass


class orthogonal(_Initializer):
    pass


class glorot_normal(_Initializer):
    pass


class glorot_uniform(_Initializer):
    pass

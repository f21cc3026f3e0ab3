# Initializers that version 1 has beside those of both versions.
from tensorflow._initializers import (
    _Initializer, constant_initializer, ones_initializer, random_normal_initializer, random_uniform_initializer, zeros_initializer)


class Initializer(_Initializer):
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

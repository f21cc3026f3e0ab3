# Objects that make the first values of variables.
from tensorflow._shared import made, sizes_of


class _Initializer:
    def __init__(self, *args, **kwargs):
        pass

    def __call__(self, shape, dtype=None, partition_info=None, **kwargs):
        return made(sizes_of(shape), "float32" if dtype is None else dtype)

    def get_config(self):
        return {}

    @classmethod
    def from_config(cls, config):
        return cls()


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

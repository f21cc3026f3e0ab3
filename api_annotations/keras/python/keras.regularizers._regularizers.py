# Regularizers: the penalty of a weight is a number.
from keras._shapes import _made


class Regularizer:
    def __init__(self, *arguments, **options):
        pass

    def __call__(self, x):
        return _made(())

    def get_config(self):
        return {}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


class L2(Regularizer):
    pass


L1 = L1L2 = OrthogonalRegularizer = L2
l1 = l2 = l1_l2 = l1l2 = orthogonal_regularizer = L2


def get(identifier):
    return identifier


def serialize(regularizer):
    return {}


deserialize = get

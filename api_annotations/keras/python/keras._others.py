# Names that hold settings, scopes and versions.
import tensorflow as tf
from harp_library import outside, unknown
from keras.layers._layer import Layer

KerasTensor = tf.Tensor
__version__ = "3.0.0"


def version():
    return "3.0.0"


class StatelessScope:
    def __init__(self, *arguments, **options):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None


name_scope = device = SymbolicScope = StatelessScope


class DTypePolicy:
    compute_dtype = variable_dtype = "float32"

    def __init__(self, name="float32", *arguments, **options):
        self.name = name


Policy = DTypePolicy


def set_global_policy(policy):
    pass


set_policy = set_dtype_policy = set_global_policy


def global_policy():
    return DTypePolicy()


def Variable(initializer, shape=None, dtype=None, trainable=True, *arguments, **options):
    if callable(initializer):
        return initializer(shape)
    return tf.convert_to_tensor(initializer)

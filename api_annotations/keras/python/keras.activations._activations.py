# Activations by their names.
import keras.ops as _ops


def get(identifier):
    if identifier is None or isinstance(identifier, str):
        return _linear
    return identifier


def _linear(x):
    return x


def serialize(activation):
    return {}


deserialize = get

# Layers that are told by a description of them.
from harp_library import outside
from keras.layers._layer import Layer


def serialize(layer):
    return {}


def deserialize(config, custom_objects=None):
    return outside("layer of a description")


class DenseFeatures(Layer):
    def call(self, features, *arguments, **options):
        return outside("features")

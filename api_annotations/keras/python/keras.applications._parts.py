# The layers of models with known weights, as far as programs ask for them.
from harp_library import free_size, is_known, outside
from keras._models import Model, Sequential
from keras._shapes import _made
from keras.layers import Conv2D, Dense, Flatten, GlobalAveragePooling2D, GlobalMaxPooling2D, MaxPooling2D
from keras.layers._layer import Layer

# Layers by name: how often the picture was halved, and how many features there are.
_KNOWN = {
    "resnet": {
        "conv1_relu": (1, 64), "conv2_block3_out": (2, 256), "conv3_block4_out": (3, 512), "conv3_block8_out": (3, 512),
        "conv4_block6_out": (4, 1024), "conv4_block23_out": (4, 1024), "conv4_block36_out": (4, 1024), "conv5_block3_out": (5, 2048),
    },
    "mobilenet_v2": {
        "block_1_expand_relu": (1, 96), "block_3_expand_relu": (2, 144), "block_6_expand_relu": (3, 192), "block_13_expand_relu": (4, 576),
        "block_16_project": (5, 320), "out_relu": (5, 1280),
    },
    "mobilenet": {
        "conv1_relu": (1, 32), "conv_pw_1_relu": (1, 64), "conv_pw_3_relu": (2, 128), "conv_pw_5_relu": (3, 256), "conv_pw_11_relu": (4, 512),
        "conv_pw_13_relu": (5, 1024),
    },
    "densenet121": {
        "conv1_relu": (1, 64), "pool2_relu": (2, 256), "pool2_conv": (2, 128), "pool3_relu": (3, 512), "pool4_relu": (4, 1024), "relu": (5, 1024),
    },
    "efficientnet_b0": {
        "block2a_expand_activation": (1, 96), "block3a_expand_activation": (2, 144), "block4a_expand_activation": (3, 240),
        "block6a_expand_activation": (4, 672), "top_activation": (5, 1280),
    },
}


def _features_of(family):
    return _KNOWN[family]


def _halved(size, times):
    if not is_known(size):
        return free_size("features", 1) if times > 0 else size
    for _ in range(times):
        if size % 2 != 0:
            return free_size("features", 1)
        size = size // 2
    return size


class _Part(Layer):
    """A layer of a model, of which only its output is known."""

    def __init__(self, name, entry, output):
        self._begin(name=name)
        self.built = True
        self._first_call = (entry, output)

    def call(self, inputs, *arguments, **options):
        return outside("output of a layer")


class _Partly(Model):
    """A model of which some layers are known by name."""

    def __init__(self, entry, output, parts):
        super().__init__(entry, output)
        self._known_parts = {} if parts is None else parts

    def get_layer(self, name=None, index=None):
        if name is None or not is_known(name) or name not in self._known_parts:
            return outside("layer of a model")
        times, features = self._known_parts[name]
        entry = self._graph[0]
        sizes = (_halved(entry.shape[1], times), _halved(entry.shape[2], times))
        return _Part(name, entry, _made((entry.shape[0],) + sizes + (features,)))


class _Listed(Sequential):
    """A chain whose input counts as its first layer."""

    def __init__(self, entry):
        super().__init__()
        self.add(entry)
        self._head = _Part("input_layer", entry, entry)

    @property
    def layers(self):
        return [self._head] + list(self._chain)

    def get_layer(self, name=None, index=None):
        if index is not None:
            return self.layers[index]
        return super().get_layer(name)


def _vgg(convolutions, entry, include_top, pooling, classes):
    model = _Listed(entry)
    for block, count in enumerate(convolutions):
        for number in range(count):
            model.add(Conv2D(min(64 * 2 ** block, 512), 3, activation="relu", padding="same", name=f"block{block + 1}_conv{number + 1}"))
        model.add(MaxPooling2D(2, strides=2, name=f"block{block + 1}_pool"))
    if include_top:
        for layer in (Flatten(name="flatten"), Dense(4096, name="fc1"), Dense(4096, name="fc2"), Dense(classes, name="predictions")):
            model.add(layer)
    elif pooling is not None:
        model.add(GlobalAveragePooling2D() if pooling == "avg" else GlobalMaxPooling2D())
    return model

# Layers that prepare pictures, texts and numbers.
import numpy as np
from harp_library import free_size, is_known, require
from keras._shapes import _free, _is_first, _is_open, _layer_dtype, _made, _tensor
from keras.layers._core import _Same
from keras.layers._layer import Layer


class Rescaling(_Same):
    def __init__(self, scale, offset=0.0, **options):
        self._begin(**options)
        self.scale, self.offset = scale, offset

    def call(self, inputs, training=None):
        return _made(_tensor(inputs).shape)


class _Picture(Layer):
    """What takes a picture or a batch of them."""

    def _checked(self, inputs):
        inputs = _tensor(inputs)
        require(inputs.ndim >= 3, "the layer takes a picture or a batch of them")
        require(inputs.ndim <= 4, "the layer takes a picture or a batch of them")
        return inputs

    def _of_size(self, inputs, height, width):
        inputs = self._checked(inputs)
        shape = inputs.shape
        if _is_first(self.data_format):
            return _made(shape[:-2] + (height, width))
        return _made(shape[:-3] + (height, width) + shape[-1:])


class Resizing(_Picture):
    def __init__(self, height, width, interpolation="bilinear", crop_to_aspect_ratio=False, *arguments, data_format=None, **options):
        self._begin(**options)
        self.height, self.width, self.data_format = height, width, data_format

    def call(self, data, training=None):
        return self._of_size(data, self.height, self.width)


class CenterCrop(_Picture):
    def __init__(self, height, width, data_format=None, **options):
        self._begin(**options)
        self.height, self.width, self.data_format = height, width, data_format

    def call(self, data, training=None):
        return self._of_size(data, self.height, self.width)


class RandomCrop(_Picture):
    def __init__(self, height, width, seed=None, data_format=None, name=None, **options):
        self._begin(name=name, **options)
        self.height, self.width, self.data_format = height, width, data_format

    def call(self, data, training=None):
        return self._of_size(data, self.height, self.width)


class _Changed(_Same):
    """Changes pixels alone."""

    def __init__(self, *arguments, **options):
        self._begin(**options)

    def call(self, data, training=None):
        data = _tensor(data)
        return _made(data.shape)


class RandomFlip(_Changed):
    pass


class RandomRotation(_Changed):
    pass


class RandomTranslation(_Changed):
    pass


class RandomZoom(_Changed):
    pass


class RandomShear(_Changed):
    pass


class RandomPerspective(_Changed):
    pass


class RandomContrast(_Changed):
    pass


class RandomBrightness(_Changed):
    pass


class RandomSaturation(_Changed):
    pass


class RandomHue(_Changed):
    pass


class RandomColorJitter(_Changed):
    pass


class RandomColorDegeneration(_Changed):
    pass


class RandomSharpness(_Changed):
    pass


class RandomGrayscale(_Changed):
    pass


class RandomGaussianBlur(_Changed):
    pass


class RandomErasing(_Changed):
    pass


class RandomInvert(_Changed):
    pass


class RandomPosterization(_Changed):
    pass


class RandomElasticTransform(_Changed):
    pass


class AutoContrast(_Changed):
    pass


class Equalization(_Changed):
    pass


class Solarization(_Changed):
    pass


class AugMix(_Changed):
    pass


class RandAugment(_Changed):
    pass


class RandomHeight(_Picture):
    def __init__(self, factor, *arguments, data_format=None, **options):
        self._begin(**options)
        self.data_format = data_format

    def call(self, data, training=None):
        return self._of_size(data, _free("height"), data.shape[-2])


class RandomWidth(_Picture):
    def __init__(self, factor, *arguments, data_format=None, **options):
        self._begin(**options)
        self.data_format = data_format

    def call(self, data, training=None):
        return self._of_size(data, data.shape[-3], _free("width"))


class _Looked(Layer):
    """Texts or numbers that become numbers of words, or a row of counts."""

    output_mode = "int"

    def _set(self, output_mode, max_tokens, vocabulary, pads):
        self.output_mode, self.max_tokens, self._vocabulary, self._pads = output_mode, max_tokens, vocabulary, pads
        self._adapted = False

    def adapt(self, data, *arguments, **options):
        self._adapted = True

    def get_vocabulary(self, *arguments, **options):
        return [""] * self.vocabulary_size()

    def vocabulary_size(self):
        if isinstance(self._vocabulary, (list, tuple)):
            return len(self._vocabulary) + 1
        return free_size("words", 1)

    vocab_size = vocabulary_size

    def set_vocabulary(self, vocabulary, *arguments, **options):
        self._vocabulary = vocabulary

    def _width(self):
        if self._pads and self.max_tokens is not None:
            return self.max_tokens
        return self.vocabulary_size()

    def _encoded(self, inputs):
        inputs = _tensor(inputs)
        if self.output_mode == "int":
            return _made(inputs.shape, np.int64)
        if self.output_mode == "one_hot":
            return _made(inputs.shape + (self._width(),))
        return _made(inputs.shape[:-1] + (self._width(),))


class StringLookup(_Looked):
    def __init__(self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token="[UNK]", vocabulary=None, idf_weights=None,
                 invert=False, output_mode="int", pad_to_max_tokens=False, *arguments, **options):
        self._begin(**options)
        self._set(output_mode, max_tokens, vocabulary, pad_to_max_tokens)
        self._invert = invert

    def call(self, inputs):
        if self._invert:
            return _made(_tensor(inputs).shape, None)
        return self._encoded(inputs)


class IntegerLookup(StringLookup):
    def __init__(self, max_tokens=None, num_oov_indices=1, mask_token=None, oov_token=-1, vocabulary=None, vocabulary_dtype="int64",
                 idf_weights=None, invert=False, output_mode="int", sparse=False, pad_to_max_tokens=False, *arguments, **options):
        self._begin(**options)
        self._set(output_mode, max_tokens, vocabulary, pad_to_max_tokens)
        self._invert = invert


class TextVectorization(_Looked):
    """Texts of any number of words, unless the length is told."""

    def __init__(self, max_tokens=None, standardize="lower_and_strip_punctuation", split="whitespace", ngrams=None, output_mode="int",
                 output_sequence_length=None, pad_to_max_tokens=False, vocabulary=None, *arguments, **options):
        self._begin(**options)
        self._set(output_mode, max_tokens, vocabulary, pad_to_max_tokens)
        self._length = output_sequence_length

    def call(self, inputs):
        inputs = _tensor(inputs)
        texts = inputs.shape[:1]
        if self.output_mode == "int":
            return _made(texts + (_free("words") if self._length is None else self._length,), np.int64)
        return _made(texts + (self._width(),))


class Hashing(_Looked):
    def __init__(self, num_bins, mask_value=None, salt=None, output_mode="int", *arguments, **options):
        self._begin(**options)
        self._set(output_mode, num_bins, None, True)

    def call(self, inputs):
        return self._encoded(inputs)


class Discretization(_Looked):
    def __init__(self, bin_boundaries=None, num_bins=None, epsilon=0.01, output_mode="int", *arguments, **options):
        self._begin(**options)
        self._set(output_mode, num_bins if bin_boundaries is None else len(bin_boundaries) + 1, None, True)

    def call(self, inputs):
        return self._encoded(inputs)


class HashedCrossing(_Looked):
    def __init__(self, num_bins, output_mode="int", *arguments, **options):
        self._begin(**options)
        self._set(output_mode, num_bins, None, True)

    def call(self, inputs):
        return self._encoded(inputs[0])


class CategoryEncoding(Layer):
    def __init__(self, num_tokens=None, output_mode="multi_hot", *arguments, **options):
        self._begin(**options)
        self.num_tokens, self.output_mode = num_tokens, output_mode

    def call(self, inputs, count_weights=None, training=None):
        inputs = _tensor(inputs)
        shape = inputs.shape
        if inputs.ndim == 0:
            return _made((self.num_tokens,))
        if self.output_mode == "one_hot":
            # An axis of one number is replaced.
            return _made((shape[:-1] if shape[-1] == 1 else shape) + (self.num_tokens,))
        if inputs.ndim == 1:
            return _made((self.num_tokens,))
        return _made(shape[:1] + shape[2:] + (self.num_tokens,))

# Texts in tensors.
from harp_library import free_size
from tensorflow._core import as_tensor
from tensorflow._ragged import RaggedTensor
from tensorflow._shared import front_axis, made, surely


def _shape(input):
    return () if surely(isinstance(input, (str, bytes))) else as_tensor(input).shape


# Parts of texts: ragged, of a single text a vector.
def _parts(input, dtype=None):
    shape = _shape(input)
    if len(shape) == 0:
        return made((free_size("parts", 0),), dtype)
    if len(shape) == 1:
        return RaggedTensor(made((free_size("parts", 0),), dtype), shape[0])
    return made(None, dtype)


def split(input, sep=None, maxsplit=-1, name=None):
    return _parts(input)


def bytes_split(input, name=None):
    return _parts(input)


def unicode_split(input, input_encoding, errors="replace", replacement_char=65533, name=None):
    return _parts(input)


def unicode_split_with_offsets(input, input_encoding, errors="replace", replacement_char=65533, name=None):
    return _parts(input), _parts(input, "int64")


def unicode_decode(input, input_encoding, errors="replace", replacement_char=65533, replace_control_characters=False, name=None):
    return _parts(input, "int32")


def unicode_decode_with_offsets(input, input_encoding, errors="replace", replacement_char=65533, replace_control_characters=False, name=None):
    return _parts(input, "int32"), _parts(input, "int64")


def unicode_encode(input, output_encoding, errors="replace", replacement_char=65533, name=None):
    if surely(isinstance(input, RaggedTensor)):
        return made((input.rows_,), None)
    return made(as_tensor(input).shape[:-1], None)


def join(inputs, separator="", name=None):
    shape = ()
    for item in inputs:
        own = _shape(item)
        shape = own if len(shape) == 0 else shape
    return made(shape, None)


def reduce_join(inputs, axis=None, keepdims=False, separator="", name=None):
    shape = _shape(inputs)
    if axis is None:
        return made((1,) * len(shape) if keepdims else (), None)
    if surely(isinstance(axis, int)):
        place = front_axis(axis, len(shape))
        return made(shape[:place] + ((1,) if keepdims else ()) + shape[place + 1:], None)
    return made(None, None)


def format(template, inputs, placeholder="{}", summarize=3, name=None):
    return made((), None)


def ngrams(data, ngram_width, separator=" ", pad_values=None, padding_width=None, preserve_short_sequences=False, name=None):
    return made(None, None)

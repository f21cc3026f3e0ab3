# Decoders, whose results have sizes that only the data tells, and records.
from typing import NamedTuple

from harp_library import free_size, outside
from tensorflow._core import as_tensor
from tensorflow._scopes import Block
from tensorflow._sparse import SparseTensor
from tensorflow._shared import made, sizes_of, surely


def _channels(channels):
    if channels is None or channels == 0:
        return free_size("channels", 1)
    return channels


def decode_jpeg(contents, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False, acceptable_fraction=1, dct_method="", name=None):
    return made((free_size("height", 1), free_size("width", 1), _channels(channels)), "uint8")


def decode_png(contents, channels=0, dtype="uint8", name=None):
    return made((free_size("height", 1), free_size("width", 1), _channels(channels)), dtype)


def decode_bmp(contents, channels=0, name=None):
    return made((free_size("height", 1), free_size("width", 1), _channels(channels)), "uint8")


def decode_webp(contents, channels=0, dtype="uint8", name=None):
    return made((free_size("frames", 1), free_size("height", 1), free_size("width", 1), _channels(channels)), dtype)


def decode_gif(contents, name=None):
    return made((free_size("frames", 1), free_size("height", 1), free_size("width", 1), 3), "uint8")


def decode_image(contents, channels=None, dtype="uint8", name=None, expand_animations=True):
    if expand_animations:
        return made(None, dtype)
    return made((free_size("height", 1), free_size("width", 1), _channels(channels)), dtype)


def decode_and_crop_jpeg(contents, crop_window, channels=0, ratio=1, fancy_upscaling=True, try_recover_truncated=False, acceptable_fraction=1,
                         dct_method="", name=None):
    height, width = free_size("height", 1), free_size("width", 1)
    if surely(isinstance(crop_window, (list, tuple))):
        height, width = crop_window[2], crop_window[3]
    return made((height, width, _channels(channels)), "uint8")


def decode_raw(input_bytes, out_type, little_endian=True, fixed_length=None, name=None):
    shape = as_tensor(input_bytes).shape
    return made(shape + (free_size("length", 0) if fixed_length is None else fixed_length,), out_type)


def decode_csv(records, record_defaults, field_delim=",", use_quote_delim=True, na_value="", select_cols=None, name=None):
    shape = as_tensor(records).shape
    return [made(shape, as_tensor(default).dtype if not surely(isinstance(default, str)) else None) for default in record_defaults]


def parse_tensor(serialized, out_type, name=None):
    return made(None, out_type)


class FixedLenFeature(NamedTuple):
    shape: object
    dtype: object
    default_value: object = None


class FixedLenSequenceFeature(NamedTuple):
    shape: object
    dtype: object
    allow_missing: bool = False
    default_value: object = None


class VarLenFeature(NamedTuple):
    dtype: object


class SparseFeature(NamedTuple):
    index_key: object
    value_key: object
    dtype: object
    size: object
    already_sorted: bool = False


class RaggedFeature:
    def __init__(self, dtype, value_key=None, partitions=(), row_splits_dtype="int32", validate=False):
        self.dtype, self.value_key, self.partitions = dtype, value_key, partitions


def _feature(feature, batch):
    if surely(isinstance(feature, FixedLenFeature)):
        return made(batch + tuple(sizes_of(feature.shape)), feature.dtype)
    if surely(isinstance(feature, FixedLenSequenceFeature)):
        return made(batch + (free_size("length", 0),) + tuple(sizes_of(feature.shape)), feature.dtype)
    if surely(isinstance(feature, VarLenFeature)):
        return SparseTensor(None, made((free_size("values", 0),), feature.dtype), batch + (free_size("length", 0),))
    return outside("a feature of a record")


def parse_single_example(serialized, features, example_names=None, name=None):
    return {key: _feature(feature, ()) for key, feature in features.items()}


def parse_example(serialized, features, example_names=None, name=None):
    shape = as_tensor(serialized).shape
    return {key: _feature(feature, shape) for key, feature in features.items()}


def parse_single_sequence_example(serialized, context_features=None, sequence_features=None, example_name=None, name=None):
    context = {key: _feature(feature, ()) for key, feature in (context_features or {}).items()}
    sequences = {key: _feature(feature, ()) for key, feature in (sequence_features or {}).items()}
    return context, sequences


def parse_sequence_example(serialized, context_features=None, sequence_features=None, example_names=None, name=None):
    shape = as_tensor(serialized).shape
    context = {key: _feature(feature, shape) for key, feature in (context_features or {}).items()}
    sequences = {key: _feature(feature, shape) for key, feature in (sequence_features or {}).items()}
    lengths = {key: made(shape, "int64") for key in (sequence_features or {})}
    return context, sequences, lengths


class TFRecordWriter(Block):
    def write(self, record):
        pass

    def flush(self):
        pass

    def close(self):
        pass

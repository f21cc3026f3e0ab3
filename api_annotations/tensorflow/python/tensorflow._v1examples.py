# Examples as protocol buffers: what a parser makes of them is told by the features that it is given.
from harp_library import free_size, outside, tensor


class FixedLenFeature:
    def __init__(self, shape, dtype, default_value=None):
        self.shape, self.dtype, self.default_value = shape, dtype, default_value


class FixedLenSequenceFeature:
    def __init__(self, shape, dtype, allow_missing=False, default_value=None):
        self.shape, self.dtype = shape, dtype


class VarLenFeature:
    def __init__(self, dtype):
        self.dtype = dtype


class SparseFeature:
    def __init__(self, index_key, value_key, dtype, size, already_sorted=False):
        self.dtype, self.size = dtype, size


def _sizes(shape):
    return (shape,) if isinstance(shape, int) else tuple(shape)


def _parsed(feature, lead):
    if isinstance(feature, FixedLenFeature):
        return tensor(lead + _sizes(feature.shape), feature.dtype, "tensorflow.Tensor")
    if isinstance(feature, FixedLenSequenceFeature):
        return tensor(lead + (free_size("steps", 0),) + _sizes(feature.shape), feature.dtype, "tensorflow.Tensor")
    return outside("sparse feature")


def _all_parsed(features, lead):
    return {key: _parsed(feature, lead) for key, feature in features.items()}


def parse_single_example(serialized, features, name=None, example_names=None):
    return _all_parsed(features, ())


def parse_example(serialized, features, name=None, example_names=None):
    return _all_parsed(features, (free_size("batch", 0),))


def parse_single_sequence_example(serialized, context_features=None, sequence_features=None, example_name=None, name=None):
    context = {} if context_features is None else _all_parsed(context_features, ())
    return context, {} if sequence_features is None else _all_parsed(sequence_features, ())


def decode_raw(input_bytes=None, out_type=None, little_endian=True, name=None, bytes=None):
    import tensorflow as _tf
    given = _tf.convert_to_tensor(bytes if input_bytes is None else input_bytes)
    return tensor(given.shape + (free_size("numbers", 0),), out_type, "tensorflow.Tensor")


def decode_csv(records, record_defaults, field_delim=",", use_quote_delim=True, name=None, na_value="", select_cols=None):
    import tensorflow as _tf
    shape = _tf.convert_to_tensor(records).shape
    return [tensor(shape, _dtype_of(default), "tensorflow.Tensor") for default in record_defaults]


def _dtype_of(default):
    """The type of a column, by its default: a number, or a list with one."""
    import tensorflow as _tf
    if isinstance(default, (list, tuple)) and len(default) == 1:
        default = default[0]
    return _tf.convert_to_tensor(default).dtype if isinstance(default, (int, float)) else None


def read_file(filename, name=None):
    return tensor((), None, "tensorflow.Tensor")


def write_file(filename, contents, name=None):
    from tensorflow._v1graph import Operation
    return Operation(name)


def matching_files(pattern, name=None):
    return tensor((free_size("files", 0),), None, "tensorflow.Tensor")


def string_to_number(string_tensor=None, out_type=None, name=None, input=None):
    import tensorflow as _tf
    given = _tf.convert_to_tensor(input if string_tensor is None else string_tensor)
    return tensor(given.shape, _tf.float32 if out_type is None else out_type, "tensorflow.Tensor")


def _same(value, dtype=None):
    import tensorflow as _tf
    return tensor(_tf.convert_to_tensor(value).shape, dtype, "tensorflow.Tensor")


def string_to_hash_bucket(string_tensor=None, num_buckets=None, name=None, input=None):
    import tensorflow as _tf
    return _same(input if string_tensor is None else string_tensor, _tf.int64)


def string_to_hash_bucket_fast(input, num_buckets, name=None):
    import tensorflow as _tf
    return _same(input, _tf.int64)


def string_join(inputs, separator="", name=None):
    return tensor(None, None, "tensorflow.Tensor")


def reduce_join(inputs, axis=None, keep_dims=None, separator="", name=None, reduction_indices=None, keepdims=None):
    return tensor(None, None, "tensorflow.Tensor")


def regex_replace(input, pattern, rewrite, replace_global=True, name=None):
    return _same(input)


def as_string(input, *arguments, **options):
    return _same(input)


def substr(input, pos, len, name=None, unit="BYTE"):
    return _same(input)


def string_split(source, sep=None, skip_empty=True, delimiter=None, result_type="SparseTensor", name=None):
    return outside("parts of texts")


def sparse_tensor_to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    return tensor(sp_input.shape if hasattr(sp_input, "shape") else None, sp_input.dtype if hasattr(sp_input, "dtype") else None, "tensorflow.Tensor")

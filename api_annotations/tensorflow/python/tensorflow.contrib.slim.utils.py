# What `slim.utils` and `tf.contrib.layers.utils` do with outputs by name.
from harp_library import outside


def collect_named_outputs(collections, alias, outputs):
    return outputs


def convert_collection_to_dict(collection, clear_collection=False):
    return outside("outputs by name")


def last_dimension(shape, min_rank=1):
    return shape[-1]


def first_dimension(shape, min_rank=1):
    return shape[0]


def channel_dimension(shape, data_format, min_rank=1):
    return shape[1] if data_format.startswith("NC") else shape[-1]


def two_element_tuple(int_or_tuple):
    return (int_or_tuple, int_or_tuple) if isinstance(int_or_tuple, int) else tuple(int_or_tuple)


def n_positive_integers(n, value):
    return (value,) * n if isinstance(value, int) else tuple(value)


def smart_cond(pred, fn1, fn2, name=None):
    import tensorflow as _tf
    return _tf.cond(pred, fn1, fn2)


def constant_value(value_or_tensor_or_var, dtype=None):
    return value_or_tensor_or_var


static_cond = smart_cond


def get_variable_collections(variables_collections, name):
    return variables_collections


def append_tensor_alias(tensor, alias):
    return tensor


def gather_tensors_aliases(tensors):
    return outside("names")

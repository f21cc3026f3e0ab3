# Nested mappings as flat ones.
from flax.traverse_util import flatten_dict, unflatten_dict


def flatten_mapping(xs, /, *, keep_empty_nodes=False, is_leaf=None, sep=None):
    return flatten_dict(xs, keep_empty_nodes, is_leaf, sep)


def unflatten_mapping(xs, /, *, sep=None):
    return unflatten_dict(xs, sep)


def flatten_to_sequence(xs, /, *, is_leaf=None):
    return list(flatten_dict(xs).items())

# Structures of tensors: tuples, lists and dicts.
from harp_library import require, tree_leaves, tree_map
from tensorflow._shared import surely


def map_structure(func, *structure, **kwargs):
    return tree_map(func, structure[0], *structure[1:])


# The entries of a dict are sorted by their keys.
def flatten(structure, expand_composites=False):
    if surely(isinstance(structure, dict)):
        return [leaf for key in sorted(structure) for leaf in tree_leaves(structure[key])]
    return tree_leaves(structure)


def pack_sequence_as(structure, flat_sequence, expand_composites=False):
    require(len(tree_leaves(structure)) == len(flat_sequence), "there must be as many items as the structure has places")
    items = iter(list(flat_sequence))
    return tree_map(lambda leaf: next(items), structure)


def assert_same_structure(nest1, nest2, check_types=True, expand_composites=False):
    tree_map(lambda one, other: None, nest1, nest2)


def is_nested(structure):
    return isinstance(structure, (list, tuple, dict))

# The short names of the functions of trees.
from jax.tree_util import (tree_all, tree_flatten, tree_flatten_with_path, tree_leaves, tree_leaves_with_path, tree_map, tree_map_with_path, tree_reduce,
                           tree_structure, tree_unflatten)


def map(f, tree, *rest, is_leaf=None):
    return tree_map(f, tree, *rest, is_leaf=is_leaf)


leaves = tree_leaves
structure = tree_structure
flatten = tree_flatten
unflatten = tree_unflatten
reduce = tree_reduce
all = tree_all
map_with_path = tree_map_with_path
flatten_with_path = tree_flatten_with_path
leaves_with_path = tree_leaves_with_path

from harp_library import tree_leaves as _tree_leaves, tree_map as _tree_map, tree_shapes as _tree_shapes


def tree_map(f, tree, *rest, is_leaf=None):
    return _tree_map(f, tree, *rest)


def tree_leaves(tree, is_leaf=None):
    return _tree_leaves(tree)


# JAX has no such function; it stands for what packs make of shapes.
def tree_shapes(tree):
    return _tree_shapes(tree)

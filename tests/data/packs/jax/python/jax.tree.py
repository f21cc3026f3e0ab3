from jax.tree_util import tree_leaves, tree_map


def map(f, tree, *rest, is_leaf=None):
    return tree_map(f, tree, *rest)


def leaves(tree, is_leaf=None):
    return tree_leaves(tree)

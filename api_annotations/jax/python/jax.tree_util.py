# Trees: dicts, lists, tuples, named tuples and dataclasses, one in another.
from harp_library import require, tree_leaves as _tree_leaves, tree_map as _tree_map, unknown


def tree_map(f, tree, *rest, is_leaf=None):
    return _tree_map(f, tree, *rest)


def tree_leaves(tree, is_leaf=None):
    return _tree_leaves(tree)


class PyTreeDef:
    # What keeps the structure: the tree itself, of which only the places count.
    def __init__(self, tree):
        self.tree = tree

    @property
    def num_leaves(self):
        return len(_tree_leaves(self.tree))

    def unflatten(self, leaves):
        return _filled(self, leaves)

    def flatten_up_to(self, tree):
        return _tree_leaves(_tree_map(lambda place, part: part, self.tree, tree))


def _filled(treedef, leaves):
    leaves = list(leaves)
    require(len(leaves) == len(_tree_leaves(treedef.tree)), "there are more or fewer leaves than the tree has places")
    rest = iter(leaves)
    return _tree_map(lambda place: next(rest), treedef.tree)


def tree_structure(tree, is_leaf=None):
    return PyTreeDef(tree)


def tree_flatten(tree, is_leaf=None):
    return _tree_leaves(tree), PyTreeDef(tree)


def tree_unflatten(treedef, leaves):
    return _filled(treedef, leaves)


def tree_reduce(function, tree, initializer=None, is_leaf=None):
    leaves = _tree_leaves(tree)
    if initializer is None:
        total, leaves = leaves[0], leaves[1:]
    else:
        total = initializer
    for leaf in leaves:
        total = function(total, leaf)
    return total


def tree_all(tree, *, is_leaf=None):
    return all(_tree_leaves(tree))


def tree_map_with_path(f, tree, *rest, is_leaf=None, is_leaf_takes_path=False):
    return _tree_map(lambda *leaves: f(unknown("the path of a leaf"), *leaves), tree, *rest)


def tree_flatten_with_path(tree, is_leaf=None, is_leaf_takes_path=False):
    return [(unknown("the path of a leaf"), leaf) for leaf in _tree_leaves(tree)], PyTreeDef(tree)


def tree_leaves_with_path(tree, is_leaf=None, is_leaf_takes_path=False):
    return [(unknown("the path of a leaf"), leaf) for leaf in _tree_leaves(tree)]


def register_pytree_node_class(cls):
    return cls


register_pytree_with_keys_class = register_static = register_pytree_node_class


def register_dataclass(nodetype=None, data_fields=None, meta_fields=None, drop_fields=()):
    if nodetype is None:
        return register_pytree_node_class
    return nodetype


def register_pytree_node(nodetype, flatten_func, unflatten_func, flatten_with_keys_func=None):
    return None


def register_pytree_with_keys(nodetype, flatten_with_keys, unflatten_func, flatten_func=None):
    return None

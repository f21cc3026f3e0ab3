from dataclasses import fields

from harp_library import register_tree, tree_leaves as _tree_leaves, tree_map as _tree_map, tree_shapes as _tree_shapes


def tree_map(f, tree, *rest, is_leaf=None):
    return _tree_map(f, tree, *rest)


def tree_leaves(tree, is_leaf=None):
    return _tree_leaves(tree)


# JAX has no such function; it stands for what packs make of shapes.
def tree_shapes(tree):
    return _tree_shapes(tree)


def register_pytree_node(cls, flatten_func, unflatten_func):
    register_tree(cls, flatten_func, unflatten_func)


def register_pytree_node_class(cls):
    return register_tree(cls, lambda tree: tree.tree_flatten(), lambda rest, trees: cls.tree_unflatten(rest, trees))


def register_dataclass(cls, data_fields=None, meta_fields=None):
    if data_fields is None:
        data_fields = [field.name for field in fields(cls) if not field.metadata.get("static", False)]
    return register_tree(cls, data_fields)

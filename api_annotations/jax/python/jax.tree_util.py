# Trees: dicts, lists, tuples, named tuples and dataclasses, one in another.
import dataclasses
from harp_library import is_known, register_tree, require, tree_leaves as _tree_leaves, tree_map as _tree_map, unknown


# Trees within trees, as deep as `is_leaf` is asked.
_DEPTH = 6


class Partial:
    def __init__(self, func, /, *args, **keywords):
        self.func, self.args, self.keywords = func, args, keywords

    def __call__(self, *args, **keywords):
        return self.func(*self.args, *args, **{**self.keywords, **keywords})


def tree_map(f, tree, *rest, is_leaf=None):
    if is_leaf is None:
        return _tree_map(f, tree, *rest)
    return _mapped(f, is_leaf, tree, rest, _DEPTH)


def _mapped(f, is_leaf, tree, rest, depth):
    if is_leaf(tree):
        return f(tree, *rest)
    if depth == 0 or not is_known(isinstance(tree, (dict, list, tuple))):
        return unknown("a tree of unknown structure")
    if isinstance(tree, dict):
        return {key: _mapped(f, is_leaf, part, [other[key] for other in rest], depth - 1) for key, part in tree.items()}
    if isinstance(tree, (list, tuple)):
        parts = [_mapped(f, is_leaf, part, [other[place] for other in rest], depth - 1) for place, part in enumerate(tree)]
        if hasattr(tree, "_fields"):
            return type(tree)(*parts)
        return tuple(parts) if isinstance(tree, tuple) else parts
    if dataclasses.is_dataclass(tree):
        return unknown("a dataclass with leaves that the program tells")
    return _tree_map(f, tree, *rest)


def tree_leaves(tree, is_leaf=None):
    if is_leaf is None:
        return _tree_leaves(tree)
    return _gathered(is_leaf, tree, _DEPTH)


def _gathered(is_leaf, tree, depth):
    if is_leaf(tree):
        return [tree]
    if depth == 0 or not is_known(isinstance(tree, (dict, list, tuple))):
        return unknown("a tree of unknown structure")
    if isinstance(tree, dict):
        return [leaf for part in tree.values() for leaf in _gathered(is_leaf, part, depth - 1)]
    if isinstance(tree, (list, tuple)):
        return [leaf for part in tree for leaf in _gathered(is_leaf, part, depth - 1)]
    if dataclasses.is_dataclass(tree):
        return unknown("a dataclass with leaves that the program tells")
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
    return register_tree(cls, lambda value: value.tree_flatten(), lambda rest, parts: cls.tree_unflatten(rest, tuple(parts)))


def register_pytree_with_keys_class(cls):
    if hasattr(cls, "tree_flatten"):
        return register_pytree_node_class(cls)
    return register_tree(cls, lambda value: _without_keys(value.tree_flatten_with_keys()), lambda rest, parts: cls.tree_unflatten(rest, tuple(parts)))


def _without_keys(flat):
    return [part for _, part in flat[0]], flat[1]


# Nothing within is a leaf.
def register_static(cls):
    return register_tree(cls, [])


def _is_data(field):
    static = field.metadata.get("static", False)
    return not static if is_known(static) else True


def register_dataclass(nodetype=None, data_fields=None, meta_fields=None, drop_fields=()):
    if nodetype is None:
        return lambda cls: register_dataclass(cls, data_fields, meta_fields, drop_fields)
    if data_fields is None:
        data_fields = [field.name for field in dataclasses.fields(nodetype) if _is_data(field)]
    return register_tree(nodetype, list(data_fields))


def register_pytree_node(nodetype, flatten_func, unflatten_func, flatten_with_keys_func=None):
    register_tree(nodetype, flatten_func, lambda rest, parts: unflatten_func(rest, tuple(parts)))


def register_pytree_with_keys(nodetype, flatten_with_keys, unflatten_func, flatten_func=None):
    register_pytree_node(nodetype, flatten_func or (lambda value: _without_keys(flatten_with_keys(value))), unflatten_func)

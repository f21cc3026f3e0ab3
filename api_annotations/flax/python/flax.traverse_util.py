# Nested dicts as flat ones.
from harp_library import is_known, tree_map, unknown


class _EmptyNode:
    pass


empty_node = _EmptyNode()


def flatten_dict(xs, keep_empty_nodes=False, is_leaf=None, sep=None):
    if not is_known(isinstance(xs, dict)) or not is_known(len(xs)):
        return unknown("a flat dict of an unknown tree")
    pairs = _pairs((), xs)
    return {path if sep is None else sep.join(path): value for path, value in pairs}


def _pairs(path, tree):
    # Trees of parameters are not deep: what is deeper than this is left as it is. Comprehensions go through all items, however many there are.
    if not isinstance(tree, dict) or len(path) >= 12:
        return [(path, tree)]
    return [pair for key, value in tree.items() for pair in _pairs(path + (key,), value)]


def unflatten_dict(xs, sep=None):
    if not is_known(isinstance(xs, dict)) or not is_known(len(xs)):
        return unknown("a nested dict of an unknown tree")
    nested = {}
    [_set_path(nested, path if sep is None else path.split(sep), value) for path, value in xs.items()]
    return nested


def _set_path(nested, keys, value):
    held = nested
    for key in keys[:-1]:
        if key not in held:
            held[key] = {}
        held = held[key]
    held[keys[-1]] = value


def path_aware_map(f, nested_dict):
    flat = flatten_dict(nested_dict)
    return unflatten_dict({path: f(path, value) for path, value in flat.items()})


class Traversal:
    def update(self, fn, inputs):
        return inputs


class ModelParamTraversal(Traversal):
    def __init__(self, filter_fn):
        self.filter_fn = filter_fn

    def iterate(self, inputs):
        return [value for path, value in flatten_dict(inputs, sep="/").items() if self.filter_fn("/" + path, value)]

    def update(self, fn, inputs):
        return path_aware_map(lambda path, value: fn(value) if self.filter_fn("/" + "/".join(path), value) else value, inputs)

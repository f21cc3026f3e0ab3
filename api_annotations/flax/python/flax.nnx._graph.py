# Modules as graphs: their variables by path, apart from the rest and together again.
import copy

import jax.random as _random
from flax.nnx._variables import State, Variable, _Filter, _leaves, _matches, _nested, _raw, _split_leaves
from harp_library import is_known, tensor, unknown


# What modules, metrics and optimizers have in common.
class Pytree:
    # The attributes that hold variables and nodes, where the class is known; else all of them are looked at.
    _holds = None

    def __init_subclass__(cls, **options):
        cls._holds = cls.__dict__.get("_holds")


Object = Pytree


class Module(Pytree):
    def train(self, **attributes):
        self.set_attributes(deterministic=False, use_running_average=False, **attributes)

    def eval(self, **attributes):
        self.set_attributes(deterministic=True, use_running_average=True, **attributes)

    def set_attributes(self, *filters, raise_if_not_found=True, **attributes):
        [_set_where_held(node, name, value) for _, node in _modules((), self, 0) for name, value in attributes.items()]

    def sow(self, variable_type, name, value, reduce_fn=None, init_fn=None):
        return True

    def perturb(self, name, value, variable_type=None):
        return value

    def iter_modules(self):
        return _modules((), self, 0)

    def iter_children(self):
        return [(name, value) for name, value in vars(self).items() if isinstance(value, Module)]


def _set_where_held(node, name, value):
    if name in vars(node):
        setattr(node, name, value)


def _parts(node):
    # What hangs on a node of the graph: attributes, items of lists and values of dicts.
    if isinstance(node, (list, tuple)):
        return list(enumerate(node))
    if isinstance(node, dict):
        return list(node.items())
    if isinstance(node, _Mapping):
        return list(node._items.items())
    if node._holds is not None:
        return [(name, getattr(node, name)) for name in node._holds]
    return list(vars(node).items())


def _is_node(value):
    return isinstance(value, (Pytree, list, tuple, dict))


def _gathered(path, node, depth):
    return [pair for key, value in _parts(node) for pair in _pairs(path + (key,), value, depth)]


def _pairs(path, value, depth):
    if not is_known(isinstance(value, Variable)) or not is_known(_is_node(value)):
        return []
    if isinstance(value, Variable):
        return [(path, value)]
    return _gathered(path, value, depth + 1) if _is_node(value) and depth < 16 else []


def _variables(node):
    # Pairs of path and variable; None where the node is not known.
    if isinstance(node, State):
        return _leaves(node)
    if not is_known(_is_node(node)) or not _is_node(node):
        return None
    return _gathered((), node, 0)


class _Mapping(Module):
    pass


# The variables that a filter names, all of them without one, as a nested dict. Comprehensions go through all items, however many there are.
def _tree(node, only, path, depth):
    found = {key: _branch(value, only, path + (key,), depth) for key, value in _parts(node)}
    return {key: held for key, held in found.items() if held is not None}


def _branch(value, only, path, depth):
    if not is_known(isinstance(value, Variable)) or not is_known(_is_node(value)):
        return None
    if isinstance(value, Variable):
        return type(value)(value.raw_value) if only is None or _matches(only, path, value) else None
    if not _is_node(value) or depth > 16:
        return None
    held = _tree(value, only, path, depth + 1)
    return held if held else None


# Sets variables of a node to what a nested dict holds for them.
def _assign(node, held):
    if is_known(isinstance(held, dict)) and is_known(len(held)):
        [_assign_part(_part(node, key), value) for key, value in held.items()]


def _assign_part(part, value):
    if isinstance(part, Variable):
        part.raw_value = _raw(value)
    elif is_known(_is_node(part)) and _is_node(part) and is_known(isinstance(value, dict)) and isinstance(value, dict):
        _assign(part, value)


def _part(node, key):
    if isinstance(node, (list, tuple, dict)):
        return node[key]
    return node._items[key] if isinstance(node, _Mapping) else getattr(node, key, None)


def _modules(path, node, depth):
    if not is_known(_is_node(node)) or not _is_node(node):
        return []
    inner = [pair for key, value in _parts(node) for pair in _modules(path + (key,), value, depth + 1)] if depth < 16 else []
    return [(path, node), *inner] if isinstance(node, Module) else inner


class GraphDef:
    def __init__(self, node):
        self.node = node


# A copy whose variables hold what `change` makes of them.
def _copied(node, change, path=(), depth=0):
    if not is_known(isinstance(node, Variable)) or not is_known(_is_node(node)):
        return node
    if isinstance(node, Variable):
        return change(path, node)
    if not _is_node(node) or depth > 16:
        return node
    if isinstance(node, (list, tuple)):
        items = [_copied(value, change, path + (place,), depth + 1) for place, value in enumerate(node)]
        return type(node)(items) if isinstance(node, list) else node if _is_plain(node) else tuple(items)
    if isinstance(node, dict):
        return {key: _copied(value, change, path + (key,), depth + 1) for key, value in node.items()}
    new = copy.copy(node)
    if isinstance(node, _Mapping):
        new._items = _copied(node._items, change, path, depth + 1)
        return new
    [_copy_part(new, key, value, change, path + (key,), depth) for key, value in _parts(node)]
    return new


def _copy_part(new, key, value, change, path, depth):
    if is_known(_is_node(value)) and (isinstance(value, Variable) or _is_node(value)):
        setattr(new, key, _copied(value, change, path, depth + 1))


def _is_plain(items):
    return not any([isinstance(item, Variable) or _is_node(item) for item in items])


def split(node, *filters, graph=None):
    count = max(len(filters), 1)
    if count == 1 and is_known(_is_node(node)) and _is_node(node):
        return GraphDef(node), State(_tree(node, filters[0] if filters else None, (), 0))
    found = _variables(node)
    if found is None:
        return (unknown("a graph"), *[unknown("a state") for _ in range(count)])
    graphdef = GraphDef(node)
    return (graphdef, *[_state_of(part) for part in _split_leaves(found, filters)])


def _state_of(found):
    return _nested([(path, copy.copy(variable)) for path, variable in found])


def merge(graphdef_or_graphstate, *states, copy=False, recreate_variables=True):
    if not is_known(isinstance(graphdef_or_graphstate, GraphDef)) or not isinstance(graphdef_or_graphstate, GraphDef):
        return unknown("a merged graph")
    found = {}
    for state in states:
        for path, leaf in _leaves(state) or []:
            found[path] = leaf

    def change(path, variable):
        return type(variable)(_raw(found[path]) if path in found else variable.raw_value)

    return _copied(graphdef_or_graphstate.node, change)


def state(node, *filters, graph=None):
    if len(filters) < 2 and is_known(_is_node(node)) and _is_node(node):
        return State(_tree(node, filters[0] if filters else None, (), 0))
    found = _variables(node)
    if found is None:
        parts = [unknown("a state") for _ in range(max(len(filters), 1))]
    elif not filters:
        return _state_of(found)
    else:
        parts = [_state_of(part) for part in _split_leaves(found, filters)]
    return tuple(parts) if len(filters) > 1 else parts[0]


variables = state


def update(node, state, *states):
    if is_known(_is_node(node)) and _is_node(node):
        for one in (state, *states):
            if is_known(isinstance(one, (State, dict))) and isinstance(one, (State, dict)):
                _assign(node, one.mapping if isinstance(one, State) else one)


def pop(node, *filters):
    return unknown("popped variables") if len(filters) < 2 else tuple([unknown("popped variables") for _ in filters])


def graphdef(node, graph=None):
    return GraphDef(node)


def clone(node, variables=True, arrays=False, graph=None):
    return _copied(node, lambda path, variable: type(variable)(variable.raw_value))


def iter_graph(node, graph=None):
    found = _variables(node)
    return [] if found is None else found + _modules((), node, 0)


def iter_modules(module, graph=None):
    return _modules((), module, 0)


def iter_children(node, graph=None):
    return _parts(node)


iter_module_children = iter_children


def call(graphdef_state):
    return merge(*graphdef_state)


def map(f, node, graph=None, recreate_variables=True):
    found = _variables(node)
    return unknown("a mapped state") if found is None else _nested([(path, f(path, variable)) for path, variable in found])


def recursive_map(f, node, graph=None):
    return unknown("a mapped graph")


def find_duplicates(node, only=..., graph=None):
    return []


def as_pure(tree):
    return tree


def pure(tree):
    return tree


def view(node, only=..., raise_if_not_found=True, graph=None, **attributes):
    new = clone(node)
    new.set_attributes(**attributes)
    return new


with_attributes = view


def view_info(node, only=..., graph=None):
    return "attributes"


def with_vars(node, hijax=None, ref=None, mutable=None, only=..., allow_duplicates=False):
    return node


vars_as = with_vars


def data(value=None, **options):
    return value


def static(value=None, **options):
    return value


def is_data(value):
    return isinstance(value, (Variable, Pytree)) or hasattr(value, "shape")


def has_data(value):
    return is_data(value)


def register_data_type(type_):
    return type_


def display(*args):
    pass


def tabulate(obj, *input_args, **options):
    return "a table"


def set_metadata(node, only=None, graph=None, **metadata):
    pass


# Streams of random keys

class RngStream(Pytree):
    _holds = ()

    def __init__(self, tag="default", key=None, **options):
        self.tag = tag

    def __call__(self):
        return _random.key(0)

    def fork(self, split=None):
        return self

    @property
    def last(self):
        return _random.key(0)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        draw = getattr(_random, name)
        return lambda *args, **kwargs: draw(_random.key(0), *args, **kwargs)


_DRAWS = (
    "normal", "uniform", "randint", "bernoulli", "categorical", "truncated_normal", "choice", "permutation", "gumbel", "gamma", "beta", "exponential",
    "poisson", "laplace", "cauchy", "dirichlet", "bits", "ball", "orthogonal", "multivariate_normal", "rademacher", "lecun_normal", "split"
)


class Rngs(Pytree):
    _holds = ()

    def __init__(self, default=None, **streams):
        self._names = tuple(streams)
        self._splits = None

    def __call__(self):
        return _random.key(0)

    def __getitem__(self, name):
        return RngStream(name)

    def __contains__(self, name):
        return True

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        if name in _DRAWS:
            draw = getattr(_random, name)
            return lambda *args, **kwargs: draw(_random.key(0), *args, **kwargs)
        return RngStream(name)

    def fork(self, split=None):
        return self


def reseed(node, graph=None, policy="scalars_only", **stream_keys):
    pass


def fork_rngs(node=None, split=None, graph=None, graph_updates=None):
    return node if node is not None else lambda f: f


def restore_rngs(backups):
    pass

# Variables: arrays in a module, of a type that filters name. In expressions one is its array.
import dataclasses

from harp_library import is_known, unknown


def _raw(value):
    return value.raw_value if isinstance(value, Variable) else value


@dataclasses.dataclass
class Variable:
    raw_value: object

    def __init__(self, value, **metadata):
        self.raw_value = _raw(value)

    @property
    def value(self):
        return self.raw_value

    @value.setter
    def value(self, value):
        self.raw_value = _raw(value)

    def get_value(self, *, index=None):
        return self.raw_value if index is None else self.raw_value[index]

    def set_value(self, value, *, index=None):
        if index is None:
            self.raw_value = _raw(value)

    def get_raw_value(self):
        return self.raw_value

    def set_raw_value(self, value):
        self.raw_value = value

    def get_metadata(self, name=None, default=None):
        return {} if name is None else default

    def set_metadata(self, *args, **metadata):
        pass

    def replace(self, value=None, **metadata):
        return type(self)(self.raw_value if value is None else value)

    def copy(self, **metadata):
        return type(self)(self.raw_value)

    @property
    def type(self):
        return type(self)

    @property
    def shape(self):
        return self.raw_value.shape

    def __array__(self, dtype=None, copy=None):
        return self.raw_value

    def __jax_array__(self):
        return self.raw_value

    def __getitem__(self, index):
        return self.raw_value if index is Ellipsis else self.raw_value[index]

    def __setitem__(self, index, value):
        if index is Ellipsis:
            self.raw_value = _raw(value)
        else:
            self.raw_value = self.raw_value.at[index].set(_raw(value))

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.raw_value, name)

    def __len__(self):
        return len(self.raw_value)

    def __iter__(self):
        return iter(self.raw_value)

    def __bool__(self):
        return bool(self.raw_value)

    def __add__(self, other):
        return self.raw_value + _raw(other)

    def __radd__(self, other):
        return other + self.raw_value

    def __sub__(self, other):
        return self.raw_value - _raw(other)

    def __rsub__(self, other):
        return other - self.raw_value

    def __mul__(self, other):
        return self.raw_value * _raw(other)

    def __rmul__(self, other):
        return other * self.raw_value

    def __truediv__(self, other):
        return self.raw_value / _raw(other)

    def __rtruediv__(self, other):
        return other / self.raw_value

    def __floordiv__(self, other):
        return self.raw_value // _raw(other)

    def __mod__(self, other):
        return self.raw_value % _raw(other)

    def __pow__(self, other):
        return self.raw_value ** _raw(other)

    def __rpow__(self, other):
        return other ** self.raw_value

    def __matmul__(self, other):
        return self.raw_value @ _raw(other)

    def __rmatmul__(self, other):
        return other @ self.raw_value

    def __neg__(self):
        return -self.raw_value

    def __abs__(self):
        return abs(self.raw_value)

    def __lt__(self, other):
        return self.raw_value < _raw(other)

    def __le__(self, other):
        return self.raw_value <= _raw(other)

    def __gt__(self, other):
        return self.raw_value > _raw(other)

    def __ge__(self, other):
        return self.raw_value >= _raw(other)


class Param(Variable):
    pass


class LoRAParam(Param):
    pass


class BatchStat(Variable):
    pass


class Cache(Variable):
    pass


class Intermediate(Variable):
    pass


class Perturbation(Intermediate):
    pass


class RngState(Variable):
    pass


class RngKey(RngState):
    pass


class RngCount(RngState):
    pass


class OptState(Variable):
    pass


class OptArray(OptState):
    pass


class OptVariable(OptState):
    pass


VariableState = Variable


# Filters

class _Filter:
    def matches(self, path, variable):
        return unknown("whether a filter matches")


class Everything(_Filter):
    def matches(self, path, variable):
        return True


class Nothing(_Filter):
    def matches(self, path, variable):
        return False


class Not(_Filter):
    def __init__(self, collection_filter):
        self.predicate = collection_filter

    def matches(self, path, variable):
        return not _matches(self.predicate, path, variable)


class All(_Filter):
    def __init__(self, *filters):
        self.predicates = filters

    def matches(self, path, variable):
        return all([_matches(one, path, variable) for one in self.predicates])


class Any(_Filter):
    def __init__(self, *filters):
        self.predicates = filters

    def matches(self, path, variable):
        return any([_matches(one, path, variable) for one in self.predicates])


class OfType(_Filter):
    def __init__(self, type):
        self.kind = type

    def matches(self, path, variable):
        return isinstance(variable, self.kind)


class PathContains(_Filter):
    def __init__(self, key, exact=True):
        self.key, self.exact = key, exact

    def matches(self, path, variable):
        return self.key in path if self.exact else any([str(self.key) in str(part) for part in path])


class WithTag(_Filter):
    def __init__(self, tag):
        self.tag = tag


def _matches(predicate, path, variable):
    if predicate is Ellipsis:
        return True
    if predicate is None:
        return False
    if isinstance(predicate, bool):
        return predicate
    if isinstance(predicate, type):
        return isinstance(variable, predicate)
    if isinstance(predicate, _Filter):
        return predicate.matches(path, variable)
    if isinstance(predicate, (list, tuple)):
        return any([_matches(one, path, variable) for one in predicate])
    if isinstance(predicate, str):
        return unknown("whether a variable has a tag")
    return predicate(path, variable)


# States: nested dicts of variables, also by attribute.
@dataclasses.dataclass
class State:
    mapping: dict

    def __init__(self, mapping=None, **options):
        self.mapping = {} if mapping is None else mapping.mapping if isinstance(mapping, State) else mapping

    def __getitem__(self, key):
        value = self.mapping[key]
        return State(value) if isinstance(value, dict) else value

    def __setitem__(self, key, value):
        self.mapping[key] = value.mapping if isinstance(value, State) else value

    def __delitem__(self, key):
        del self.mapping[key]

    def __getattr__(self, name):
        if name.startswith("__") or name not in self.mapping:
            raise AttributeError(name)
        return self[name]

    def __contains__(self, key):
        return key in self.mapping

    def __iter__(self):
        return iter(self.mapping)

    def __len__(self):
        return len(self.mapping)

    def keys(self):
        return self.mapping.keys()

    def values(self):
        return [self[key] for key in self.mapping]

    def items(self):
        return [(key, self[key]) for key in self.mapping]

    def get(self, key, default=None):
        return self[key] if key in self.mapping else default

    @property
    def raw_mapping(self):
        return self.mapping

    def flat_state(self):
        return to_flat_state(self)

    @classmethod
    def from_flat_path(cls, flat_state):
        return from_flat_state(flat_state)

    def to_pure_dict(self, extract_fn=None):
        return to_pure_dict(self)

    def replace_by_pure_dict(self, pure_dict, replace_fn=None):
        replace_by_pure_dict(self, pure_dict)

    def filter(self, first, *filters):
        return filter_state(self, first, *filters)

    def split(self, first, *filters):
        return split_state(self, first, *filters)

    @staticmethod
    def merge(state, *states):
        return merge_state(state, *states)


GraphState = State


def _leaves(tree):
    # Variables and arrays of a state, by path; None where the tree is not known. Comprehensions go through all items, however many there are.
    return _pairs((), tree) if _is_known_tree(tree, 0) else None


def _held(tree):
    return tree.mapping if isinstance(tree, State) else tree


def _is_known_tree(tree, depth):
    if not is_known(isinstance(tree, (State, dict))):
        return False
    held = _held(tree)
    if not isinstance(held, dict) or depth > 16:
        return True
    return is_known(len(held)) and all([_is_known_tree(value, depth + 1) for value in held.values()])


def _pairs(path, tree):
    held = _held(tree)
    if not isinstance(held, dict):
        return [(path, held)]
    return [pair for key, value in held.items() for pair in _pairs(path + (key,), value)]


def _nested(leaves):
    tree = {}
    [_set_path(tree, path, leaf) for path, leaf in leaves]
    return State(tree)


def _set_path(tree, path, leaf):
    held = tree
    for key in path[:-1]:
        if key not in held:
            held[key] = {}
        held = held[key]
    held[path[-1]] = leaf


def to_flat_state(state):
    leaves = _leaves(state)
    return unknown("a flat state") if leaves is None else leaves


def from_flat_state(flat_state, *, cls=None):
    return _nested(flat_state.items() if isinstance(flat_state, dict) else flat_state)


def merge_state(state, *states, cls=None):
    if not states:
        return state
    leaves = []
    for one in (state, *states):
        part = _leaves(one)
        if part is None:
            return unknown("a merged state")
        leaves = leaves + part
    return _nested(leaves)


def _split_leaves(leaves, filters):
    places = [_place_of(filters, path, leaf) for path, leaf in leaves]
    return [[pair for pair, found in zip(leaves, places) if found == place] for place in range(len(filters))]


def _place_of(filters, path, leaf):
    for place in range(len(filters)):
        if _matches(filters[place], path, leaf):
            return place
    return None


def split_state(state, first, *filters):
    leaves = _leaves(state)
    if leaves is None:
        parts = tuple([unknown("a part of a state") for _ in (first, *filters)])
    else:
        parts = tuple([_nested(part) for part in _split_leaves(leaves, (first, *filters))])
    return parts if filters else parts[0]


def filter_state(state, first, *filters):
    return split_state(state, first, *filters)


def to_pure_dict(state, extract_fn=None):
    leaves = _leaves(state)
    if leaves is None:
        return unknown("a dict of an unknown state")
    return _nested([(path, _raw(leaf)) for path, leaf in leaves]).mapping


def replace_by_pure_dict(state, pure_dict, replace_fn=None):
    leaves, values = _leaves(state), _leaves(pure_dict)
    if leaves is not None and values is not None:
        found = dict(values)
        for path, leaf in leaves:
            if path in found and isinstance(leaf, Variable):
                leaf.value = found[path]


def restore_int_paths(pure_dict):
    return pure_dict


def map_state(f, state):
    leaves = _leaves(state)
    return unknown("a mapped state") if leaves is None else _nested([(path, f(path, leaf)) for path, leaf in leaves])

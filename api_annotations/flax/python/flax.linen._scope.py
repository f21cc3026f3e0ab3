# What a running module reads and makes: variables in collections, by the path of the module.
from harp_library import is_known, is_shortened, require, tensor, tree_map


class _Context:
    # The module whose compact method or `setup` runs: the parent of modules that are made there.
    def __init__(self):
        self.module = None


_context = _Context()


class _Root:
    # One `init` or `apply`: the variables that it was given and the collections that it may write.
    def __init__(self, variables, mutable, creates, rngs):
        self.variables, self.mutable, self.creates, self.rngs = variables, mutable, creates, rngs
        self.adopted = []


class _Scope:
    # The place of one module. `lifts` are the axes that `nn.scan` and `nn.vmap` give its variables, from the outside in.
    # `found` are the tables of its variables, by collection, once they were looked up.
    def __init__(self, root, path, lifts=(), parent=None):
        self.root, self.path, self.lifts, self.found, self.parent = root, path, lifts, {}, parent

    def child(self, name):
        return _Scope(self.root, self.path + (name,), self.lifts, self)

    def lifted(self, lift):
        return _Scope(self.root, self.path, self.lifts + (lift,), self.parent)


class _Lift:
    def __init__(self, axes, length=None):
        self.axes, self.length = axes, length


class DenyList:
    def __init__(self, deny):
        self.deny = deny


# Whether a collection is among those that are named: one, several, or all of them by True.
def _is_in(names, name):
    if isinstance(names, bool):
        return names
    if isinstance(names, str):
        return names == name
    if isinstance(names, DenyList):
        return not _is_in(names.deny, name)
    return name in names


# The variable, or why there is none: ("found", value), ("absent", None), ("unknown", None).
def _find(scope, collection, name, creates=False):
    status, held = _table(scope, collection, creates)
    if status != "found":
        return status, None
    if not is_known(name):
        return "unknown", None
    return ("found", held[name]) if name in held else ("absent", None)


# The table of a module's variables, which lies in that of the module around it. It may be made where it is missing.
def _table(scope, collection, creates):
    if collection in scope.found:
        return "found", scope.found[collection]
    if scope.parent is None:
        status, held, keys = _status(scope.root.variables), scope.root.variables, (collection, *scope.path)
    else:
        status, held = _table(scope.parent, collection, creates)
        keys = scope.path[-1:]
    for key in keys:
        if status != "found":
            return status, None
        if not is_known(key):
            return "unknown", None
        if key not in held:
            if not creates:
                return "absent", None
            held[key] = {}
        held = held[key]
        status = _status(held)
    if status == "found":
        scope.found[collection] = held
    return status, held


def _status(held):
    if not is_known(isinstance(held, dict)):
        return "unknown"
    if not isinstance(held, dict):
        return "absent"
    return "found" if is_known(len(held)) else "unknown"


# A parameter that is there in the shape that its module wants.
def _kept(scope, name, shape):
    if scope is None or len(scope.lifts) > 0 or "params" not in scope.found:
        return None
    value = scope.found["params"].get(name)
    if value is not None and hasattr(value, "shape") and is_known(value.shape == shape) and value.shape == shape:
        return value
    return None


def _put(scope, collection, name, value):
    status, held = _table(scope, collection, True)
    if status == "found":
        held[name] = value


# What stands in the tree for what the module sees.
def _stored(scope, collection, made):
    for lift in reversed(scope.lifts):
        axis = _axis_of(lift.axes, collection)
        if axis is not None:
            made = tree_map(lambda leaf: _with_axis(leaf, axis, lift.length), made)
    return made


def _axis_of(axes, collection):
    for names, axis in axes.items():
        if _is_in(names, collection):
            return axis
    return None


def _with_axis(leaf, axis, length):
    shape = list(leaf.shape)
    shape.insert(axis if axis >= 0 else len(shape) + 1 + axis, length)
    return tensor(shape, leaf.dtype, "jax.Array")


def _place(scope):
    return "/" + "/".join(scope.path)


def _same_shape(scope, name, value, wanted):
    shape, expected = value.shape, wanted.shape
    if is_known(shape == expected) and shape == expected:
        return
    if is_known(len(shape)) and is_known(len(expected)):
        require(len(shape) == len(expected), f"the module expects parameter `{name}` in {_place(scope)} with shape {expected}, and was given {shape}")
        for axis in range(len(expected)):
            require(shape[axis] == expected[axis], f"the module expects parameter `{name}` in {_place(scope)} with shape {expected}, and was given {shape}")


# The variable of this name, which is `made` where the module runs for the first time.
def _hold(scope, collection, name, made, is_needed=True):
    if scope is None:
        return made
    status, value = _find(scope, collection, name, scope.root.creates)
    if status == "unknown":
        return made
    if status == "found":
        if collection == "params" and hasattr(made, "shape"):
            _same_shape(scope, name, value, _stored(scope, collection, made))
        return made if scope.lifts or not hasattr(value, "shape") else value
    if not scope.root.creates and not _is_in(scope.root.mutable, collection):
        if not is_needed:
            return made
        # What an iteration that was left out would have made is not there either.
        if is_shortened():
            return made
        require(False, f"the variables hold no `{name}` in collection `{collection}` at {_place(scope)}")
    _put(scope, collection, name, _stored(scope, collection, made))
    return made


class Variable:
    def __init__(self, scope, collection, name, value):
        self.scope, self.collection, self.name = scope, collection, name
        self.free_value = value

    @property
    def value(self):
        if self.scope is None or self.scope.lifts:
            return self.free_value
        status, value = _find(self.scope, self.collection, self.name)
        return value if status == "found" else self.free_value

    @value.setter
    def value(self, value):
        self.free_value = value
        if self.scope is not None and not self.scope.lifts:
            _put(self.scope, self.collection, self.name, value)

    def is_mutable(self):
        return self.scope is None or _is_in(self.scope.root.mutable, self.collection)

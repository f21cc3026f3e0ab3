# What a transformed function reads and makes: parameters and states, by the name of the module that asks for them.
import functools
import types
from collections import namedtuple

import numpy as np
from harp_library import is_known, is_shortened, require, tensor, tree_leaves, tree_map
from jax.random import PRNGKey as _PRNGKey

Transformed = namedtuple("Transformed", ["init", "apply"])
TransformedWithState = namedtuple("TransformedWithState", ["init", "apply"])
MultiTransformed = namedtuple("MultiTransformed", ["init", "apply"])
MultiTransformedWithState = namedtuple("MultiTransformedWithState", ["init", "apply"])


class _Scope:
    # A method of a module that runs. `counts` are the names that it gave to modules.
    def __init__(self, module, method):
        self.module, self.method, self.counts = module, method, {}


class _Frame:
    # One `init` or `apply`.
    def __init__(self, params, state, creates):
        self.params, self.state, self.creates = params, state, creates
        self.scopes = [_Scope(None, "")]


class _Context:
    def __init__(self):
        self.frame = None


_context = _Context()


def _in_scope(fun, method):
    @functools.wraps(fun)
    def run(self, *args, **kwargs):
        frame = _context.frame
        if frame is None:
            return fun(self, *args, **kwargs)
        frame.scopes.append(_Scope(self, method))
        try:
            return fun(self, *args, **kwargs)
        finally:
            frame.scopes.pop()

    return run


def _snake_case(name):
    # An underscore before a capital that follows a small letter, and before the last of several capitals.
    made = ""
    for place, letter in enumerate(name):
        if letter.isupper() and place > 0:
            after = name[place + 1 : place + 2]
            if name[place - 1].islower() or name[place - 1].isupper() and after.islower():
                made += "_"
        made += letter.lower()
    return made


def _placed(module, name):
    # The name of a module below the method that makes it; the second one of a name is `name_1`.
    frame = _context.frame
    if frame is None:
        return name
    scope = [scope for scope in frame.scopes if scope.module is not module][-1]
    count = scope.counts.get(name, 0)
    scope.counts[name] = count + 1
    if count > 0:
        name = f"{name}_{count}"
    if scope.module is None:
        return name
    if scope.method == "__call__":
        return f"{scope.module.module_name}/{name}"
    below = "~" if scope.method == "__init__" else "~" + scope.method
    return f"{scope.module.module_name}/{below}/{name}"


class Module:
    # `scoped` is false for layers of the library, which name what they hold themselves.
    def __init_subclass__(cls, scoped=True, **options):
        if scoped:
            for name, value in list(vars(cls).items()):
                if isinstance(value, types.FunctionType) and (name in ("__init__", "__call__") or not name.startswith("__")):
                    setattr(cls, name, _in_scope(value, name))

    def __init__(self, name=None):
        self.name = _snake_case(type(self).__name__) if name is None else name
        self.module_name = _placed(self, self.name)

    def params_dict(self):
        return {f"{self.module_name}/{name}": value for name, value in _context.frame.params[self.module_name].items()}

    def _weight(self, name, shape, dtype=np.float32, init=None):
        return _hold("params", self.module_name, name, shape, dtype, init)


def _made(shape, dtype, init):
    if init is None:
        return tensor(shape, np.float32 if dtype is None else dtype, "jax.Array")
    return init(shape, np.float32 if dtype is None else dtype)


def _hold(kind, module_name, name, shape, dtype, init):
    # The parameter or state of this name, which is made where the function runs for the first time.
    frame = _context.frame
    if frame is None:
        return _made(shape, dtype, init)
    held = frame.params if kind == "params" else frame.state
    if not is_known(module_name) or not is_known(name) or not is_known(isinstance(held, dict)):
        return _made(shape, dtype, init)
    if not isinstance(held, dict) or not is_known(len(held)):
        return _made(shape, dtype, init)
    if module_name in held and name in held[module_name]:
        value = held[module_name][name]
        if shape is not None and hasattr(value, "shape"):
            _same_shape(kind, module_name, name, value, shape)
        return value
    if frame.creates or kind == "state":
        made = _made(shape, dtype, init)
        held.setdefault(module_name, {})[name] = made
        return made
    # What an iteration that was left out would have made is not there either.
    if not is_shortened():
        require(False, f"the parameters hold no `{name}` of the module `{module_name}`: `init` did not make it")
    return _made(shape, dtype, init)


def _same_shape(kind, module_name, name, value, shape):
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if kind != "params" or not is_known(value.ndim) or not is_known(len(shape)):
        return
    message = f"the module `{module_name}` expects the parameter `{name}` with shape {shape}, and was given {value.shape}"
    require(value.ndim == len(shape), message)
    for axis in range(len(shape)):
        require(value.shape[axis] == shape[axis], message)


def _asking():
    # The module whose method runs.
    frame = _context.frame
    if frame is None or frame.scopes[-1].module is None:
        return "~"
    return frame.scopes[-1].module.module_name


def get_parameter(name, shape, dtype=np.float32, init=None):
    return _hold("params", _asking(), name, shape, dtype, init)


def get_state(name, shape=None, dtype=np.float32, init=None):
    return _hold("state", _asking(), name, shape, dtype, init)


def set_state(name, value):
    frame = _context.frame
    if frame is not None and is_known(isinstance(frame.state, dict)) and isinstance(frame.state, dict):
        frame.state.setdefault(_asking(), {})[name] = value


def current_name():
    return _asking()


def running_init():
    return _context.frame is not None and _context.frame.creates


def next_rng_key():
    return _PRNGKey(0)


reserve_rng_keys = maybe_next_rng_key = maybe_get_rng_sequence_state = lambda *args: _PRNGKey(0)


def next_rng_keys(num):
    return tensor((num, 2), np.uint32, "jax.Array")


def _run(frame, function, args, kwargs):
    outer = _context.frame
    _context.frame = frame
    try:
        return function(*args, **kwargs)
    finally:
        _context.frame = outer


def _given(tree):
    return {} if tree is None else tree


def _written(state):
    # What a function writes in is a copy of what it was given.
    if not is_known(isinstance(state, dict)) or not isinstance(state, dict) or not is_known(len(state)):
        return state
    return {name: dict(held) for name, held in state.items()}


def transform(f, *, apply_rng=True):
    def init_fn(rng, *args, **kwargs):
        frame = _Frame({}, {}, True)
        _run(frame, f, args, kwargs)
        return frame.params

    def apply_fn(params, rng, *args, **kwargs):
        return _run(_Frame(_given(params), {}, False), f, args, kwargs)

    whole = Transformed(init_fn, apply_fn)
    return whole if apply_rng else without_apply_rng(whole)


def transform_with_state(f):
    def init_fn(rng, *args, **kwargs):
        frame = _Frame({}, {}, True)
        _run(frame, f, args, kwargs)
        return frame.params, frame.state

    def apply_fn(params, state, rng, *args, **kwargs):
        frame = _Frame(_given(params), _written(_given(state)), False)
        output = _run(frame, f, args, kwargs)
        return output, frame.state

    return TransformedWithState(init_fn, apply_fn)


def without_apply_rng(f):
    if isinstance(f, (MultiTransformed, MultiTransformedWithState)):
        return type(f)(f.init, tree_map(lambda apply_fn: _without_rng(apply_fn, isinstance(f, MultiTransformedWithState)), f.apply))
    return type(f)(f.init, _without_rng(f.apply, isinstance(f, TransformedWithState)))


def _without_rng(apply_fn, has_state):
    if has_state:
        return lambda params, state, *args, **kwargs: apply_fn(params, state, None, *args, **kwargs)
    return lambda params, *args, **kwargs: apply_fn(params, None, *args, **kwargs)


def without_state(f):
    def init_fn(rng, *args, **kwargs):
        return f.init(rng, *args, **kwargs)[0]

    def apply_fn(params, rng, *args, **kwargs):
        return f.apply(params, {}, rng, *args, **kwargs)[0]

    return Transformed(init_fn, apply_fn)


def with_empty_state(f):
    def init_fn(rng, *args, **kwargs):
        return f.init(rng, *args, **kwargs), {}

    def apply_fn(params, state, rng, *args, **kwargs):
        return f.apply(params, rng, *args, **kwargs), {}

    return TransformedWithState(init_fn, apply_fn)


def _several(f):
    # The functions that `f` gives beside the first one, each as one that runs `f` and takes its place.
    def place_of(index):
        return lambda *args, **kwargs: tree_leaves(f()[1])[index](*args, **kwargs)

    functions = _run(_Frame({}, {}, True), lambda: f()[1], (), {})
    places = iter(range(len(tree_leaves(functions))))
    return tree_map(lambda function: place_of(next(places)), functions)


def multi_transform(f):
    init_fn = transform(lambda *args, **kwargs: f()[0](*args, **kwargs)).init
    return MultiTransformed(init_fn, tree_map(lambda function: transform(function).apply, _several(f)))


def multi_transform_with_state(f):
    init_fn = transform_with_state(lambda *args, **kwargs: f()[0](*args, **kwargs)).init
    return MultiTransformedWithState(init_fn, tree_map(lambda function: transform_with_state(function).apply, _several(f)))


class PRNGSequence:
    def __init__(self, key_or_seed):
        pass

    def __iter__(self):
        return self

    def __next__(self):
        return _PRNGKey(0)

    next = __next__

    def take(self, num):
        return tuple([_PRNGKey(0) for _ in range(num)])

    def reserve(self, num):
        pass

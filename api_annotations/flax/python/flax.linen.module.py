# Modules: dataclasses whose variables are made by `init` and given back to `apply`.
import copy
import dataclasses
import functools
import types

import numpy as np
from flax.linen._scope import DenyList, Variable, _Lift, _Root, _Scope, _context, _find, _hold, _is_in, _kept, _put
from harp_library import is_known, require, tensor, tree_map, unknown


class _Unset:
    pass


_unset = _Unset()


def compact(fun):
    @functools.wraps(fun)
    def run(self, *args, **kwargs):
        outer = _context.module
        was_running = self._runs_compact
        if not was_running:
            object.__setattr__(self, "_counts", {})
        object.__setattr__(self, "_runs_compact", True)
        _context.module = self
        try:
            return fun(self, *args, **kwargs)
        finally:
            _context.module = outer
            object.__setattr__(self, "_runs_compact", was_running)

    return run


compact_name_scope = compact


def nowrap(fun):
    return fun


def merge_param(name, a, b):
    return b if a is None else a


@dataclasses.dataclass
class Module:
    parent: object = dataclasses.field(default=_unset, kw_only=True)
    name: str = dataclasses.field(default=None, kw_only=True)

    _lift_axes = ()
    # What a module has until it is put in its place.
    scope = None
    _is_set_up = _in_setup = _runs_compact = False
    # Whether fields may hold modules, as those of layers of the library seldom do.
    _adopts = True

    def __init_subclass__(cls, kw_only=False, **options):
        dataclasses.dataclass(cls)

    def __post_init__(self):
        object.__setattr__(self, "_counts", {})
        parent = self.parent
        if parent is _unset:
            parent = _context.module
            object.__setattr__(self, "parent", parent)
        if is_known(isinstance(parent, Module)) and isinstance(parent, Module):
            if self.name is None:
                if parent._in_setup:
                    return
                object.__setattr__(self, "name", parent._next_name(type(self).__name__))
            self._attach()

    def _next_name(self, prefix):
        count = self._counts.get(prefix, 0)
        self._counts[prefix] = count + 1
        return f"{prefix}_{count}"

    def _attach(self):
        if self.parent.scope is not None:
            self._enter(self.parent.scope.child(self.name))

    def _enter(self, scope):
        if len(self._lift_axes) > 0:
            object.__setattr__(self, "_lifts", [_Lift(axes) for axes in self._lift_axes])
            for lift in self._lifts:
                scope = scope.lifted(lift)
        object.__setattr__(self, "scope", scope)
        if self._adopts:
            self._adopt_fields()

    def _adopt_fields(self):
        for field in dataclasses.fields(type(self)):
            if field.name != "parent" and field.name != "name":
                value = getattr(self, field.name)
                if is_known(isinstance(value, (Module, list, tuple, dict))) and isinstance(value, (Module, list, tuple, dict)):
                    object.__setattr__(self, field.name, _adopted(self, field.name, value))

    def __setattr__(self, name, value):
        if self._in_setup:
            value = _adopted(self, name, value)
        object.__setattr__(self, name, value)

    def __getattr__(self, name):
        if name.startswith("_") or self._is_set_up:
            raise AttributeError(name)
        self._set_up()
        return getattr(self, name)

    def _set_up(self):
        object.__setattr__(self, "_is_set_up", True)
        outer = _context.module
        _context.module = self
        object.__setattr__(self, "_in_setup", True)
        try:
            self.setup()
        finally:
            object.__setattr__(self, "_in_setup", False)
            _context.module = outer

    def setup(self):
        pass

    # Running with variables

    def _bound(self, scope):
        module = copy.copy(self)
        object.__setattr__(module, "parent", None)
        object.__setattr__(module, "_is_set_up", False)
        object.__setattr__(module, "_counts", {})
        module._enter(scope)
        return module

    def _run(self, root, method, args, kwargs):
        outer = _context.module
        _context.module = None
        try:
            module = self._bound(_Scope(root, ()))
            if not self._lift_axes:
                module._set_up()
            if method is None:
                return module(*args, **kwargs)
            if isinstance(method, str):
                return getattr(module, method)(*args, **kwargs)
            if isinstance(method, types.MethodType):
                return method.__func__(module, *args, **kwargs)
            return method(module, *args, **kwargs)
        finally:
            _context.module = outer

    def init_with_output(self, rngs, *args, method=None, mutable=DenyList("intermediates"), capture_intermediates=False, **kwargs):
        root = _Root({}, mutable, True, rngs)
        output = self._run(root, method, args, kwargs)
        return output, root.variables

    def init(self, rngs, *args, method=None, mutable=DenyList("intermediates"), capture_intermediates=False, **kwargs):
        root = _Root({}, mutable, True, rngs)
        self._run(root, method, args, kwargs)
        return root.variables

    def lazy_init(self, rngs, *args, method=None, mutable=DenyList("intermediates"), **kwargs):
        root = _Root({}, mutable, True, rngs)
        self._run(root, method, args, kwargs)
        return root.variables

    def apply(self, variables, *args, rngs=None, method=None, mutable=False, capture_intermediates=False, **kwargs):
        root = _applied_root(variables, mutable, rngs)
        output = self._run(root, method, args, kwargs)
        if capture_intermediates is not False:
            return output, {**_changed(root), "intermediates": unknown("intermediate values of modules")}
        if mutable is False:
            return output
        return output, _changed(root)

    def bind(self, variables, *args, rngs=None, mutable=False):
        return self._bound(_Scope(_applied_root(variables, mutable, rngs), ()))

    def unbind(self):
        return self.clone(), self.variables

    def clone(self, *, parent=None, **changes):
        fields = {field.name: getattr(self, field.name) for field in dataclasses.fields(type(self)) if field.name != "parent"}
        return type(self)(parent=parent, **{**fields, **changes})

    def copy(self, *, parent=None, name=None, **changes):
        return self.clone(parent=parent, name=name, **changes)

    @property
    def variables(self):
        if self.scope is None:
            return unknown("variables of an unbound module")
        found = {}
        for collection, held in self.scope.root.variables.items():
            for key in self.scope.path:
                held = held[key]
            found[collection] = held
        return found

    @property
    def path(self):
        return self.scope.path if self.scope is not None else ()

    # Variables

    def param(self, name, init_fn, *args, unbox=True, **kwargs):
        return _hold(self.scope, "params", name, init_fn(self._key("params"), *args, **kwargs))

    def _weight(self, name, *shape):
        # A parameter of a layer of Flax, whatever its initializer is.
        kept = _kept(self.scope, name, shape)
        return kept if kept is not None else _hold(self.scope, "params", name, tensor(shape, self.param_dtype, "jax.Array"))

    def variable(self, col, name, init_fn=None, *args, unbox=True, **kwargs):
        if self.scope is not None:
            status, value = _find(self.scope, col, name)
            if status == "found":
                return Variable(self.scope, col, name, value)
        made = None if init_fn is None else init_fn(*args, **kwargs)
        return Variable(self.scope, col, name, made if made is None else _hold(self.scope, col, name, made, False))

    def get_variable(self, col, name, default=None):
        if self.scope is None:
            return default
        status, value = _find(self.scope, col, name)
        if status == "unknown":
            return unknown("a variable of an unknown tree")
        return value if status == "found" else default

    def put_variable(self, col, name, value):
        if self.scope is not None:
            _put(self.scope, col, name, value)

    def has_variable(self, col, name):
        if self.scope is None:
            return False
        status, value = _find(self.scope, col, name)
        if status == "unknown":
            return unknown("whether an unknown tree has a variable")
        return status == "found"

    def is_mutable_collection(self, col):
        return self.scope is None or _is_in(self.scope.root.mutable, col)

    def is_initializing(self):
        return self.scope is not None and self.scope.root.creates

    def has_rng(self, name):
        if self.scope is None or self.scope.root.rngs is None:
            return False
        rngs = self.scope.root.rngs
        return name in rngs if isinstance(rngs, dict) else name == "params"

    def make_rng(self, name="params"):
        return self._key(name)

    def _key(self, name):
        if self.scope is not None:
            rngs = self.scope.root.rngs
            if isinstance(rngs, dict):
                for key in (name, "params"):
                    if key in rngs:
                        return rngs[key]
            elif rngs is not None:
                return rngs
        return tensor((2,), np.uint32, "jax.Array")

    def sow(self, col, name, value, reduce_fn=None, init_fn=None):
        if self.scope is None or not _is_in(self.scope.root.mutable, col):
            return False
        status, held = _find(self.scope, col, name)
        if reduce_fn is None:
            _put(self.scope, col, name, (held if status == "found" else ()) + (value,))
        else:
            _put(self.scope, col, name, reduce_fn(held if status == "found" else init_fn(), value))
        return True

    def perturb(self, name, value, collection="perturbations"):
        return value

    def tabulate(self, rngs, *args, **kwargs):
        return "a table"

    def module_paths(self, rngs, *args, **kwargs):
        return unknown("paths of modules")


def _applied_root(variables, mutable, rngs):
    if isinstance(variables, dict):
        inner = variables.get("params")
        if isinstance(inner, dict):
            require("params" not in inner, "the variables passed to apply have a second layer `params`: expected {'params': ...}")
        if mutable is not False:
            variables = {name: tree_map(lambda leaf: leaf, held) for name, held in variables.items()}
    return _Root(variables, mutable, False, rngs)


def _changed(root):
    if not is_known(isinstance(root.variables, dict)):
        return unknown("variables of an unknown tree")
    return {name: held for name, held in root.variables.items() if _is_in(root.mutable, name)}


# Modules in a value that a module keeps are its submodules, named by the attribute and their place.
def _adopted(owner, name, value):
    if not is_known(isinstance(value, (Module, list, tuple, dict))):
        return value
    if isinstance(value, Module):
        return _adopted_module(owner, name, value)
    if isinstance(value, (list, tuple)):
        if any([isinstance(item, (Module, list, tuple, dict)) for item in value]):
            return tuple([_adopted(owner, f"{name}_{place}", item) for place, item in enumerate(value)])
        return tuple(value) if isinstance(value, list) else value
    if isinstance(value, dict):
        if any([isinstance(item, (Module, list, tuple, dict)) for item in value.values()]):
            return {key: _adopted(owner, f"{name}_{key}", item) for key, item in value.items()}
    return value


def _adopted_module(owner, name, module):
    if module.parent is None:
        if owner.scope is None:
            return module
        for original, taken in owner.scope.root.adopted:
            if original is module:
                return taken
        original = module
        module = copy.copy(original)
        owner.scope.root.adopted.append((original, module))
        object.__setattr__(module, "name", None)
        object.__setattr__(module, "_is_set_up", False)
        object.__setattr__(module, "_counts", {})
    if module.name is None:
        object.__setattr__(module, "parent", owner)
        object.__setattr__(module, "name", name)
        module._attach()
    return module


# `nn.apply` and `nn.init` make functions of variables.
def apply(fn, module, mutable=False, capture_intermediates=False):
    def run(variables, *args, rngs=None, **kwargs):
        return module.apply(variables, *args, rngs=rngs, method=fn, mutable=mutable, capture_intermediates=capture_intermediates, **kwargs)

    return run


def init(fn, module, mutable=True, capture_intermediates=False):
    def run(rngs, *args, **kwargs):
        return module.init(rngs, *args, method=fn, **kwargs)

    return run


def init_with_output(fn, module, mutable=True, capture_intermediates=False):
    def run(rngs, *args, **kwargs):
        return module.init_with_output(rngs, *args, method=fn, **kwargs)

    return run


def share_scope(module, other):
    object.__setattr__(other, "scope", module.scope)


class _Nothing:
    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return None


def intercept_methods(interceptor):
    return _Nothing()


def override_named_call(enable=True):
    return _Nothing()


def enable_named_call():
    pass


def disable_named_call():
    pass

# What `functools` does beyond what Harp does itself.
from types import UnionType
from typing import Union, get_args, get_origin


def total_ordering(cls):
    def has(name):
        return name in vars(cls)

    if has("__lt__"):
        if not has("__gt__"):
            cls.__gt__ = lambda self, other: not self < other and not self == other
        if not has("__le__"):
            cls.__le__ = lambda self, other: self < other or self == other
        if not has("__ge__"):
            cls.__ge__ = lambda self, other: not self < other
    elif has("__gt__"):
        cls.__lt__ = lambda self, other: not self > other and not self == other
        if not has("__ge__"):
            cls.__ge__ = lambda self, other: self > other or self == other
        if not has("__le__"):
            cls.__le__ = lambda self, other: not self > other
    elif has("__le__"):
        cls.__lt__ = lambda self, other: self <= other and not self == other
        cls.__gt__ = lambda self, other: not self <= other
        if not has("__ge__"):
            cls.__ge__ = lambda self, other: not self <= other or self == other
    elif has("__ge__"):
        cls.__lt__ = lambda self, other: not self >= other
        cls.__gt__ = lambda self, other: self >= other and not self == other
        if not has("__le__"):
            cls.__le__ = lambda self, other: not self >= other or self == other
    return cls


def cmp_to_key(compare):
    class Key:
        def __init__(self, obj):
            self.obj = obj

        def __lt__(self, other):
            return compare(self.obj, other.obj) < 0

        def __gt__(self, other):
            return compare(self.obj, other.obj) > 0

        def __eq__(self, other):
            return compare(self.obj, other.obj) == 0

        def __le__(self, other):
            return compare(self.obj, other.obj) <= 0

        def __ge__(self, other):
            return compare(self.obj, other.obj) >= 0

    return Key


def _implementation(registry, default, value):
    found = None
    for cls, function in registry.items():
        if type(value) is cls:
            return function
        if isinstance(value, cls) and (found is None or issubclass(cls, found)):
            found = cls
    return default if found is None else registry[found]


def _dispatches(registry, default):
    def dispatch(cls):
        if cls in registry:
            return registry[cls]
        found = None
        for known in registry:
            if issubclass(cls, known) and (found is None or issubclass(known, found)):
                found = known
        return default if found is None else registry[found]

    return dispatch


def _enter(registry, hint, function):
    if isinstance(hint, type):
        kinds = (hint,)
    elif isinstance(hint, tuple):
        kinds = hint
    elif get_origin(hint) in (Union, UnionType):
        kinds = get_args(hint)
    else:
        kinds = (hint,)
    for kind in kinds:
        registry[kind] = function


def _registers(registry):
    def register(cls, function=None):
        if function is not None:
            _enter(registry, cls, function)
            return function
        if isinstance(cls, (type, tuple)) or get_origin(cls) is not None:
            return lambda function: register(cls, function)
        for name, hint in cls.__annotations__.items():
            if name != "return":
                _enter(registry, hint, cls)
                break
        return cls

    return register


def singledispatch(function):
    registry = {}

    def wrapper(first, *args, **kwargs):
        return _implementation(registry, function, first)(first, *args, **kwargs)

    wrapper.register = _registers(registry)
    wrapper.dispatch = _dispatches(registry, function)
    wrapper.registry = registry
    wrapper.__wrapped__ = function
    return wrapper


def singledispatchmethod(function):
    registry = {}

    def wrapper(self, first, *args, **kwargs):
        return _implementation(registry, function, first)(self, first, *args, **kwargs)

    wrapper.register = _registers(registry)
    return wrapper


def partialmethod(function, /, *args, **keywords):
    def method(self, /, *more, **others):
        return function(self, *args, *more, **{**keywords, **others})

    return method

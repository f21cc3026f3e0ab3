# What `inspect` tells of objects, beyond what Harp does itself.
import types
from inspect import signature


def isclass(object):
    return isinstance(object, type)


def isfunction(object):
    return isinstance(object, types.FunctionType)


def ismethod(object):
    return isinstance(object, types.MethodType)


def isroutine(object):
    return isfunction(object) or ismethod(object)


def ismodule(object):
    return isinstance(object, types.ModuleType)


def getmembers(object, predicate=None):
    own = vars(object)
    members = []
    for name in dir(object):
        if name.startswith("__") and name not in own:
            continue
        value = getattr(object, name)
        if predicate is None or predicate(value):
            members.append((name, value))
    return members


def _arguments(function, args, kwargs, is_partial):
    parameters = signature(function).parameters
    given, taken, others = {}, list(args), dict(kwargs)
    for name, parameter in parameters.items():
        if parameter.kind == parameter.VAR_POSITIONAL:
            if taken:
                given[name] = tuple(taken)
                taken = []
        elif parameter.kind == parameter.VAR_KEYWORD:
            if others:
                given[name] = others
        elif taken and parameter.kind != parameter.KEYWORD_ONLY:
            given[name] = taken.pop(0)
        elif name in others:
            given[name] = others.pop(name)
        elif parameter.default is parameter.empty and not is_partial:
            raise TypeError(f"missing a required argument: {name!r}")
    return given


def getcallargs(function, /, *args, **kwargs):
    given = _arguments(function, args, kwargs, False)
    for name, parameter in signature(function).parameters.items():
        if name not in given:
            if parameter.kind == parameter.VAR_POSITIONAL:
                given[name] = ()
            elif parameter.kind == parameter.VAR_KEYWORD:
                given[name] = {}
            else:
                given[name] = parameter.default
    return given

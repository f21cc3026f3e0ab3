# What `inspect` tells of objects, beyond what Harp does itself.
import types
from collections import namedtuple
from inspect import Parameter, _parameters_of

FullArgSpec = namedtuple("FullArgSpec", "args varargs varkw defaults kwonlyargs kwonlydefaults annotations")
ArgInfo = namedtuple("ArgInfo", "args varargs keywords locals")


class Signature:
    empty = Parameter.empty

    def __init__(self, parameters=None, *, return_annotation=Parameter.empty):
        self.parameters = {parameter.name: parameter for parameter in parameters or ()}
        self.return_annotation = return_annotation

    def __bool__(self):
        return True

    def replace(self, parameters=None, return_annotation=None):
        result = self.return_annotation if return_annotation is None else return_annotation
        return Signature(
            list(self.parameters.values()) if parameters is None else parameters, return_annotation=result
        )

    def bind(self, /, *args, **kwargs):
        return BoundArguments(self, _arguments(self.parameters, args, kwargs, False))

    def bind_partial(self, /, *args, **kwargs):
        return BoundArguments(self, _arguments(self.parameters, args, kwargs, True))


class BoundArguments:
    def __init__(self, signature, arguments):
        self.signature = signature
        self.arguments = arguments

    @property
    def args(self):
        given = []
        for name, parameter in self.signature.parameters.items():
            if parameter.kind in (parameter.VAR_KEYWORD, parameter.KEYWORD_ONLY) or name not in self.arguments:
                break
            if parameter.kind == parameter.VAR_POSITIONAL:
                given.extend(self.arguments[name])
            else:
                given.append(self.arguments[name])
        return tuple(given)

    @property
    def kwargs(self):
        given, is_named = {}, False
        for name, parameter in self.signature.parameters.items():
            is_last = parameter.kind in (parameter.VAR_KEYWORD, parameter.KEYWORD_ONLY)
            is_named = is_named or is_last or name not in self.arguments
            if is_named and name in self.arguments:
                if parameter.kind == parameter.VAR_KEYWORD:
                    given.update(self.arguments[name])
                else:
                    given[name] = self.arguments[name]
        return given

    def apply_defaults(self):
        whole = {}
        for name, parameter in self.signature.parameters.items():
            if name in self.arguments:
                whole[name] = self.arguments[name]
            elif parameter.kind == parameter.VAR_POSITIONAL:
                whole[name] = ()
            elif parameter.kind == parameter.VAR_KEYWORD:
                whole[name] = {}
            elif parameter.default is not parameter.empty:
                whole[name] = parameter.default
        self.arguments = whole


def signature(obj, follow_wrapped=True):
    said = getattr(obj, "__signature__", None)
    if isinstance(said, Signature):
        return said
    made = Signature()
    made.parameters = _parameters_of(obj)
    function = obj.__func__ if ismethod(obj) else obj
    if isfunction(function):
        made.return_annotation = function.__annotations__.get("return", Parameter.empty)
    return made


def getfullargspec(func):
    if isclass(func):
        func = func.__init__
    parameters = _parameters_of(func.__func__ if ismethod(func) else func).values()
    plain = [it for it in parameters if it.kind in (it.POSITIONAL_ONLY, it.POSITIONAL_OR_KEYWORD)]
    named = [it for it in parameters if it.kind == it.KEYWORD_ONLY]
    defaults = tuple(it.default for it in plain if it.default is not it.empty)
    of_named = {it.name: it.default for it in named if it.default is not it.empty}
    return FullArgSpec(
        [it.name for it in plain],
        next((it.name for it in parameters if it.kind == it.VAR_POSITIONAL), None),
        next((it.name for it in parameters if it.kind == it.VAR_KEYWORD), None),
        defaults or None,
        [it.name for it in named],
        of_named or None,
        {it.name: it.annotation for it in parameters if it.annotation is not it.empty},
    )


getargspec = getfullargspec


def getargvalues(frame):
    return ArgInfo(frame.f_args, None, None, frame.f_locals)


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


def _arguments(parameters, args, kwargs, is_partial):
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
    given = _arguments(signature(function).parameters, args, kwargs, False)
    for name, parameter in signature(function).parameters.items():
        if name not in given:
            if parameter.kind == parameter.VAR_POSITIONAL:
                given[name] = ()
            elif parameter.kind == parameter.VAR_KEYWORD:
                given[name] = {}
            else:
                given[name] = parameter.default
    return given

# What TensorFlow asks of functions: as `inspect` does, also where Python has removed it.
from collections import namedtuple
from inspect import getfullargspec, getmro, isclass, isfunction, ismethod, ismodule, signature

ArgSpec = namedtuple("ArgSpec", "args varargs keywords defaults")
FullArgSpec = namedtuple("FullArgSpec", "args varargs varkw defaults kwonlyargs kwonlydefaults annotations")


def getargspec(obj):
    told = getfullargspec(obj)
    return ArgSpec(told.args, told.varargs, told.varkw, told.defaults)

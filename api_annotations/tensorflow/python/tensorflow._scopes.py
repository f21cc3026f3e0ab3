# What a block of code stands in: scopes of names, devices, dependencies. They change no shapes.
from harp_library import outside, some_of
from tensorflow._shared import made


class Block:
    def __init__(self, *args, **kwargs):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        return False


class name_scope:
    def __init__(self, name=None, default_name=None, values=None):
        self._name = name

    @property
    def name(self):
        return self._name

    def __enter__(self):
        return self._name + "/" if isinstance(self._name, str) else "scope/"

    def __exit__(self, *exception):
        return False


def device(device_name):
    return Block()


def control_dependencies(control_inputs):
    return Block()


def init_scope():
    return Block()


def variable_creator_scope(variable_creator):
    return Block()


class Module:
    def __init__(self, name=None):
        self._module_name = name

    @property
    def name(self):
        return "module" if self._module_name is None else self._module_name

    @property
    def name_scope(self):
        return Block()

    @property
    def variables(self):
        return tuple(some_of([made(None)]))

    @property
    def trainable_variables(self):
        return tuple(some_of([made(None)]))

    @property
    def non_trainable_variables(self):
        return tuple(some_of([made(None)]))

    @property
    def submodules(self):
        return tuple(some_of([outside("a module")]))

    @classmethod
    def with_name_scope(cls, method):
        return method

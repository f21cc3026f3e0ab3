# Modules that hold others.
from flax.nnx._graph import Module, _Mapping


class List(list, Module):
    def __init__(self, it=None):
        list.__init__(self, [] if it is None else it)


class Dict(_Mapping):
    def __init__(self, *args, **kwargs):
        self._items = dict(*args, **kwargs)

    def __getitem__(self, key):
        return self._items[key]

    def __setitem__(self, key, value):
        self._items[key] = value

    def __getattr__(self, name):
        if name.startswith("_") or name not in self._items:
            raise AttributeError(name)
        return self._items[name]

    def __contains__(self, key):
        return key in self._items

    def __len__(self):
        return len(self._items)

    def __iter__(self):
        return iter(self._items)

    def keys(self):
        return self._items.keys()

    def values(self):
        return self._items.values()

    def items(self):
        return self._items.items()

    def get(self, key, default=None):
        return self._items.get(key, default)


class Sequential(Module):
    _holds = ("layers",)

    def __init__(self, *fns):
        self.layers = List(fns)

    def __call__(self, *args, rngs=None, **kwargs):
        outputs = args
        first = True
        for layer in self.layers:
            if first:
                outputs = layer(*args, **kwargs)
                first = False
            elif isinstance(outputs, tuple):
                outputs = layer(*outputs)
            elif isinstance(outputs, dict):
                outputs = layer(**outputs)
            else:
                outputs = layer(outputs)
        return outputs

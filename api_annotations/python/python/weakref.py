# References that do not keep what they refer to: here everything is kept, as nothing that a program still names goes away.


class ref:
    def __init__(self, object, callback=None):
        self._object = object

    def __call__(self):
        return self._object

    def __eq__(self, other):
        return self._object is other._object


class WeakMethod(ref):
    pass


def proxy(object, callback=None):
    return object


class WeakValueDictionary(dict):
    pass


class WeakKeyDictionary(dict):
    pass


class WeakSet(set):
    pass


class finalize:
    alive = True

    def __init__(self, obj, func, /, *args, **kwargs):
        pass

    def detach(self):
        return None

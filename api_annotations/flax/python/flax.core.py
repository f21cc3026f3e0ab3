# Dicts that nobody writes into, as old programs have them for parameters. The library copies what it freezes; the order of keys stays.


class FrozenDict(dict):
    def pop(self, key):
        return FrozenDict({name: value for name, value in self.items() if name != key}), self[key]

    def copy(self, add_or_replace=None):
        return FrozenDict({**self, **({} if add_or_replace is None else add_or_replace)})

    def unfreeze(self):
        return unfreeze(self)

    def pretty_repr(self, num_spaces=4):
        return "a dict"


def freeze(xs):
    return FrozenDict(xs)


def unfreeze(x):
    return dict(x)


def copy(x, add_or_replace=None):
    changes = {} if add_or_replace is None else add_or_replace
    return x.copy(changes) if isinstance(x, FrozenDict) else {**x, **changes}


def pop(x, key):
    rest = {name: value for name, value in x.items() if name != key}
    return FrozenDict(rest) if isinstance(x, FrozenDict) else rest, x[key]


def pretty_repr(x, num_spaces=4):
    return "a dict"

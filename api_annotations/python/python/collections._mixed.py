# What `collections.abc` adds to the classes of programs that derive from its classes.


class Mapping:
    def get(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            return default

    def __contains__(self, key):
        try:
            self[key]
        except KeyError:
            return False
        return True

    def keys(self):
        return list(self)

    def values(self):
        return [self[key] for key in self]

    def items(self):
        return [(key, self[key]) for key in self]

    def __eq__(self, other):
        if not hasattr(other, "items"):
            return NotImplemented
        return dict(self.items()) == dict(other.items())


class MutableMapping(Mapping):
    def pop(self, key, *default):
        try:
            value = self[key]
        except KeyError:
            if default:
                return default[0]
            raise
        del self[key]
        return value

    def popitem(self):
        for key in self:
            value = self[key]
            del self[key]
            return key, value
        raise KeyError

    def clear(self):
        for key in list(self):
            del self[key]

    def update(self, other=(), /, **kwargs):
        if hasattr(other, "keys"):
            for key in other.keys():
                self[key] = other[key]
        else:
            for key, value in other:
                self[key] = value
        for key, value in kwargs.items():
            self[key] = value

    def setdefault(self, key, default=None):
        try:
            return self[key]
        except KeyError:
            self[key] = default
        return default


class Sequence:
    def __contains__(self, value):
        return any(item == value for item in self)

    def __reversed__(self):
        for index in range(len(self) - 1, -1, -1):
            yield self[index]

    def index(self, value, start=0, stop=None):
        for index in range(start, len(self) if stop is None else min(stop, len(self))):
            if self[index] == value:
                return index
        raise ValueError

    def count(self, value):
        return sum(1 for item in self if item == value)


class MutableSequence(Sequence):
    def append(self, value):
        self.insert(len(self), value)

    def clear(self):
        while len(self):
            self.pop()

    def reverse(self):
        size = len(self)
        for index in range(size // 2):
            self[index], self[size - index - 1] = self[size - index - 1], self[index]

    def extend(self, values):
        for value in list(values):
            self.append(value)

    def pop(self, index=-1):
        value = self[index]
        del self[index]
        return value

    def remove(self, value):
        del self[self.index(value)]

    def __iadd__(self, values):
        self.extend(values)
        return self


class Set:
    @classmethod
    def _from_iterable(cls, items):
        return cls(items)

    def __le__(self, other):
        return len(self) <= len(other) and all(item in other for item in self)

    def __lt__(self, other):
        return len(self) < len(other) and self <= other

    def __ge__(self, other):
        return len(self) >= len(other) and all(item in self for item in other)

    def __gt__(self, other):
        return len(self) > len(other) and self >= other

    def __eq__(self, other):
        return len(self) == len(other) and all(item in other for item in self)

    def __and__(self, other):
        return self._from_iterable([item for item in other if item in self])

    def __or__(self, other):
        return self._from_iterable([item for part in (self, other) for item in part])

    def __sub__(self, other):
        return self._from_iterable([item for item in self if item not in other])

    def __xor__(self, other):
        own = [item for item in self if item not in other]
        return self._from_iterable(own + [item for item in other if item not in self])

    def isdisjoint(self, other):
        return not any(item in self for item in other)


class MutableSet(Set):
    def remove(self, value):
        if value not in self:
            raise KeyError(value)
        self.discard(value)

    def pop(self):
        for value in self:
            self.discard(value)
            return value
        raise KeyError

    def clear(self):
        for value in list(self):
            self.discard(value)

    def __ior__(self, others):
        for value in others:
            self.add(value)
        return self

    def __iand__(self, others):
        for value in [item for item in self if item not in others]:
            self.discard(value)
        return self

    def __isub__(self, others):
        for value in list(others):
            self.discard(value)
        return self

# What `collections` does beyond what Harp does itself.
from collections.abc import MutableMapping, MutableSequence


class Counter(dict):
    def __init__(self, iterable=None, /, **counts):
        super().__init__()
        self.update(iterable, **counts)

    def __missing__(self, key):
        return 0

    def update(self, iterable=None, /, **counts):
        if isinstance(iterable, dict):
            for key, count in iterable.items():
                self[key] = self[key] + count
        elif iterable is not None:
            for key in iterable:
                self[key] = self[key] + 1
        for key, count in counts.items():
            self[key] = self[key] + count

    def subtract(self, iterable=None, /, **counts):
        if isinstance(iterable, dict):
            for key, count in iterable.items():
                self[key] = self[key] - count
        elif iterable is not None:
            for key in iterable:
                self[key] = self[key] - 1
        for key, count in counts.items():
            self[key] = self[key] - count

    def most_common(self, n=None):
        pairs = sorted(self.items(), key=lambda pair: pair[1], reverse=True)
        return pairs if n is None else pairs[:n]

    def elements(self):
        for key, count in self.items():
            for _ in range(count):
                yield key

    def total(self):
        return sum(self.values())

    def copy(self):
        return Counter(self)

    def _kept(self, counts):
        result = Counter()
        for key, count in counts:
            if count > 0:
                result[key] = count
        return result

    def __pos__(self):
        return self._kept(self.items())

    def __neg__(self):
        return self._kept([(key, -count) for key, count in self.items()])

    def __add__(self, other):
        keys = list(self) + [key for key in other if key not in self]
        return self._kept([(key, self[key] + other[key]) for key in keys])

    def __sub__(self, other):
        keys = list(self) + [key for key in other if key not in self]
        return self._kept([(key, self[key] - other[key]) for key in keys])

    def __and__(self, other):
        return self._kept([(key, min(self[key], other[key])) for key in self])

    def __or__(self, other):
        keys = list(self) + [key for key in other if key not in self]
        return self._kept([(key, max(self[key], other[key])) for key in keys])


class ChainMap:
    def __init__(self, *maps):
        self.maps = list(maps) or [{}]

    def __getitem__(self, key):
        for one in self.maps:
            if key in one:
                return one[key]
        raise KeyError(key)

    def get(self, key, default=None):
        for one in self.maps:
            if key in one:
                return one[key]
        return default

    def _merged(self):
        merged = {}
        for one in reversed(self.maps):
            merged.update(one)
        return merged

    def __len__(self):
        return len(self._merged())

    def __iter__(self):
        return iter(self._merged())

    def __contains__(self, key):
        return any([key in one for one in self.maps])

    def keys(self):
        return self._merged().keys()

    def values(self):
        return self._merged().values()

    def items(self):
        return self._merged().items()

    def __setitem__(self, key, value):
        self.maps[0][key] = value

    def __delitem__(self, key):
        del self.maps[0][key]

    def pop(self, key, *default):
        return self.maps[0].pop(key, *default)

    def update(self, *args, **kwargs):
        self.maps[0].update(*args, **kwargs)

    def new_child(self, m=None, **kwargs):
        if m is None:
            m = kwargs
        return ChainMap(m, *self.maps)

    @property
    def parents(self):
        return ChainMap(*self.maps[1:])


class UserDict(MutableMapping):
    def __init__(self, dict=None, /, **kwargs):
        self.data = {}
        if dict is not None:
            self.update(dict)
        if kwargs:
            self.update(kwargs)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, key):
        if key in self.data:
            return self.data[key]
        if hasattr(self.__class__, "__missing__"):
            return self.__class__.__missing__(self, key)
        raise KeyError(key)

    def __setitem__(self, key, item):
        self.data[key] = item

    def __delitem__(self, key):
        del self.data[key]

    def __iter__(self):
        return iter(self.data)

    def __contains__(self, key):
        return key in self.data

    def get(self, key, default=None):
        return self[key] if key in self else default

    def copy(self):
        return self.__class__(self.data)

    def __or__(self, other):
        made = self.__class__(self.data)
        made.update(other)
        return made

    def __ior__(self, other):
        self.update(other)
        return self


class UserList(MutableSequence):
    def __init__(self, initlist=None):
        self.data = [] if initlist is None else list(initlist)

    def __len__(self):
        return len(self.data)

    def __iter__(self):
        return iter(self.data)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return self.__class__(self.data[index])
        return self.data[index]

    def __setitem__(self, index, item):
        self.data[index] = item

    def __delitem__(self, index):
        del self.data[index]

    def __contains__(self, item):
        return item in self.data

    def __eq__(self, other):
        return self.data == (other.data if isinstance(other, UserList) else other)

    def __add__(self, other):
        return self.__class__(self.data + list(other))

    def __radd__(self, other):
        return self.__class__(list(other) + self.data)

    def __iadd__(self, other):
        self.data += list(other)
        return self

    def __mul__(self, count):
        return self.__class__(self.data * count)

    def append(self, item):
        self.data.append(item)

    def extend(self, items):
        self.data.extend(items)

    def insert(self, index, item):
        self.data.insert(index, item)

    def pop(self, index=-1):
        return self.data.pop(index)

    def remove(self, item):
        self.data.remove(item)

    def clear(self):
        self.data.clear()

    def copy(self):
        return self.__class__(self.data)

    def count(self, item):
        return self.data.count(item)

    def index(self, item, *bounds):
        return self.data.index(item, *bounds)

    def reverse(self):
        self.data.reverse()

    def sort(self, /, *, key=None, reverse=False):
        self.data.sort(key=key, reverse=reverse)

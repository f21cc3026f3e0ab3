# What `collections` does beyond what Harp does itself.


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

    def update(self, *args, **kwargs):
        self.maps[0].update(*args, **kwargs)

    def new_child(self, m=None, **kwargs):
        if m is None:
            m = kwargs
        return ChainMap(m, *self.maps)

    @property
    def parents(self):
        return ChainMap(*self.maps[1:])


class UserDict:
    def __init__(self, dict=None, /, **kwargs):
        self.data = {}
        if dict is not None:
            self.update(dict)
        self.update(kwargs)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, key):
        return self.data[key]

    def __setitem__(self, key, value):
        self.data[key] = value

    def __delitem__(self, key):
        del self.data[key]

    def __iter__(self):
        return iter(self.data)

    def __contains__(self, key):
        return key in self.data

    def get(self, key, default=None):
        return self[key] if key in self else default

    def keys(self):
        return self.data.keys()

    def values(self):
        return self.data.values()

    def items(self):
        return self.data.items()

    def update(self, other=(), /, **kwargs):
        pairs = other.items() if hasattr(other, "items") else other
        for key, value in pairs:
            self[key] = value
        for key, value in kwargs.items():
            self[key] = value

    def pop(self, key, *default):
        return self.data.pop(key, *default)

    def setdefault(self, key, default=None):
        if key not in self:
            self[key] = default
        return self[key]

    def copy(self):
        return UserDict(self.data)


class UserList:
    def __init__(self, initlist=None):
        self.data = [] if initlist is None else list(initlist)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, index):
        return self.data[index]

    def __setitem__(self, index, value):
        self.data[index] = value

    def __iter__(self):
        return iter(self.data)

    def __contains__(self, item):
        return item in self.data

    def append(self, item):
        self.data.append(item)

    def extend(self, items):
        self.data.extend(items)

    def insert(self, index, item):
        self.data.insert(index, item)

    def pop(self, index=-1):
        return self.data.pop(index)

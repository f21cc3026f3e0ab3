# What arrays have that an entry cannot tell: `x.at[i].set(v)` gives a changed copy.
from harp_library import tensor


class Array:
    @property
    def at(self):
        return _At(self)


class _At:
    def __init__(self, array):
        self.array = array

    def __getitem__(self, index):
        return _Place(self.array, index)


class _Place:
    def __init__(self, array, index):
        self.array, self.index = array, index

    def set(self, values, **options):
        return changed(self.array, self.index, values)

    def add(self, values, **options):
        return changed(self.array, self.index, values)

    def get(self, **options):
        return self.array[self.index]


def changed(array, index, values):
    array[index] + values
    return tensor(array.shape, array.dtype, "jax.Array")

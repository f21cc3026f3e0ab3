# What an entry cannot tell of arrays: `x.at[i].set(v)` gives a changed copy.
import jax.numpy as jnp
from harp_library import require, tensor


class Array:
    @property
    def at(self):
        return _At(self)

    def repeat(self, repeats, axis=None, *, total_repeat_length=None, out_sharding=None):
        return jnp.repeat(self, repeats, axis, total_repeat_length=total_repeat_length)

    def nonzero(self, *, fill_value=None, size=None):
        return jnp.nonzero(self, size=size)


class _At:
    def __init__(self, array):
        self.array = array

    def __getitem__(self, index):
        return _Place(self.array, index)


class _Place:
    def __init__(self, array, index):
        self.array, self.index = array, index

    def set(self, values, *, indices_are_sorted=False, unique_indices=False, mode=None, out_sharding=None, wrap_negative_indices=True):
        place = self.array[self.index]
        require((place + values).shape == place.shape, "the values do not fit the place where they are written")
        return tensor(self.array.shape, self.array.dtype, "jax.Array")

    add = subtract = multiply = mul = divide = power = min = max = set

    def apply(self, func, *, indices_are_sorted=False, unique_indices=False, mode=None, out_sharding=None, wrap_negative_indices=True):
        return tensor(self.array.shape, self.array.dtype, "jax.Array")

    def get(self, *, indices_are_sorted=False, unique_indices=False, mode=None, fill_value=None, out_sharding=None, wrap_negative_indices=True):
        return self.array[self.index]

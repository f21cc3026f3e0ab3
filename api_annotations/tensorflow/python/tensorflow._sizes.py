# `tf.shape(x)`: a tensor of sizes. Its items are numbers, and its arithmetic is by item.
from harp_library import is_known, require
from tensorflow._core import as_tensor
from tensorflow._shared import made, surely


# Of a shape with an unknown number of axes there are no items to go through: the result is as long.
def _is_open(value):
    return surely(isinstance(value, (list, tuple))) and not is_known(len(value))


def _by_item(function, left, right):
    if _is_open(left) or _is_open(right):
        return made((len(left if _is_open(left) else right),), "int32")
    if surely(isinstance(right, (list, tuple))):
        if surely(isinstance(left, (list, tuple))):
            return Sizes(function(one, other) for one, other in zip(left, right))
        return Sizes(function(left, other) for other in right)
    if surely(isinstance(left, (list, tuple))):
        return Sizes(function(one, right) for one in left)
    return function(left, right)


class Sizes(tuple):
    def __getitem__(self, index):
        if surely(isinstance(index, slice)):
            return Sizes(tuple(self)[index])
        if surely(isinstance(index, int)) and is_known(len(self)) and is_known(index):
            require(index < len(self), "the shape has fewer axes")
            require(index >= -len(self), "the shape has fewer axes")
        return tuple(self)[index]

    def __add__(self, other):
        return _by_item(lambda one, two: one + two, self, other)

    def __radd__(self, other):
        return _by_item(lambda one, two: one + two, other, self)

    def __sub__(self, other):
        return _by_item(lambda one, two: one - two, self, other)

    def __rsub__(self, other):
        return _by_item(lambda one, two: one - two, other, self)

    def __mul__(self, other):
        return _by_item(lambda one, two: one * two, self, other)

    def __rmul__(self, other):
        return _by_item(lambda one, two: one * two, other, self)

    def __floordiv__(self, other):
        return _by_item(lambda one, two: one // two, self, other)

    def __mod__(self, other):
        return _by_item(lambda one, two: one % two, self, other)

    def __rfloordiv__(self, other):
        return _by_item(lambda one, two: one // two, other, self)

    def __rmod__(self, other):
        return _by_item(lambda one, two: one % two, other, self)

    def __truediv__(self, other):
        return as_tensor(tuple(self), "float64") / other

    def __rtruediv__(self, other):
        return other / as_tensor(tuple(self), "float64")

    def __neg__(self):
        return 0 - self

    @property
    def shape(self):
        return (len(self),)

    @property
    def dtype(self):
        return as_tensor(tuple(self), "int32").dtype

    def get_shape(self):
        return (len(self),)

    def numpy(self):
        return as_tensor(tuple(self), "int32").numpy()

    def set_shape(self, shape):
        pass

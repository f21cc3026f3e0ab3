# Tensor arrays, and what makes tensors of other values.
from harp_library import array, free_size
from tensorflow._core import as_tensor
from tensorflow import Tensor
from tensorflow._mode import in_graph
from tensorflow._shared import made, sizes_of
from tensorflow._sizes import Sizes
from tensorflow._specs import Composite, TensorSpec


class TensorArray:
    def __init__(self, dtype, size=None, dynamic_size=None, clear_after_read=None, tensor_array_name=None, handle=None, flow=None, infer_shape=True,
                 element_shape=None, colocate_with_first_write_call=True, name=None):
        self.dtype, self._size = dtype, None if dynamic_size else size
        self._shape = None if element_shape is None else sizes_of(element_shape)

    @property
    def element_shape(self):
        return self._shape

    @property
    def flow(self):
        return made((), "float32")

    def _like(self, shape):
        other = TensorArray(self.dtype)
        other._size, other._shape = self._size, shape
        return other

    def write(self, index, value, name=None):
        return self._like(as_tensor(value).shape)

    def read(self, index, name=None):
        return made(self._shape, self.dtype)

    def stack(self, name=None):
        if self._shape is None:
            return made(None, self.dtype)
        return made((free_size("written", 0) if self._size is None else self._size,) + self._shape, self.dtype)

    def gather(self, indices, name=None):
        if self._shape is None:
            return made(None, self.dtype)
        return made(as_tensor(indices).shape + self._shape, self.dtype)

    def concat(self, name=None):
        if self._shape is None:
            return made(None, self.dtype)
        return made((free_size("joined", 0),) + self._shape[1:], self.dtype)

    def unstack(self, value, name=None):
        value = as_tensor(value)
        other = self._like(value.shape[1:])
        other._size = value.shape[0]
        return other

    def split(self, value, lengths, name=None):
        value = as_tensor(value)
        return self._like((free_size("part", 0),) + value.shape[1:])

    def scatter(self, indices, value, name=None):
        return self._like(as_tensor(value).shape[1:])

    def identity(self):
        return self

    def grad(self, source, flow=None, name=None):
        return self

    def size(self, name=None):
        return free_size("size", 0) if self._size is None else self._size

    def close(self, name=None):
        pass

    def mark_used(self):
        pass


def identity_n(input, name=None):
    return [as_tensor(item) for item in input]


def tuple(tensors, name=None, control_inputs=None):
    return list(tensors)


def get_static_value(tensor, partial=False):
    return array(as_tensor(tensor).shape, as_tensor(tensor).dtype)


def make_ndarray(tensor):
    return array(None)




def is_tensor(x):
    return isinstance(x, Tensor) or isinstance(x, Composite) or isinstance(x, Sizes)


def as_dtype(type_value):
    return made((), type_value).dtype


def executing_eagerly():
    return not in_graph()


def type_spec_from_value(value):
    return TensorSpec.from_tensor(value)

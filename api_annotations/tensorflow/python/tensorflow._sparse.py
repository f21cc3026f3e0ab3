# Sparse tensors: an index for each value, and the shape of the whole.
from harp_library import free_size, require
from tensorflow._core import as_tensor
from tensorflow._shared import made, surely
from tensorflow._specs import Composite, TensorShape


class SparseTensor(Composite):
    def __init__(self, indices, values, dense_shape):
        self.values = as_tensor(values)
        self.dtype = self.values.dtype
        self.dense_shape_ = dense_shape
        rank = len(dense_shape) if surely(isinstance(dense_shape, (list, tuple))) else None
        if indices is None:
            self.indices = made((self.values.shape[0], rank), "int64")
        else:
            self.indices = as_tensor(indices)
            require(len(self.indices.shape) == 2, "the indices of a sparse tensor must be a matrix")
            require(len(self.values.shape) == 1, "the values of a sparse tensor must be a vector")
            require(self.indices.shape[0] == self.values.shape[0], "there must be an index for each value")
            if rank is not None:
                require(self.indices.shape[1] == rank, "an index must have a number for each axis")

    @property
    def shape(self):
        return TensorShape(self.dense_shape_)

    def get_shape(self):
        return self.shape

    @property
    def dense_shape(self):
        return as_tensor(tuple(self.dense_shape_), "int64")

    @property
    def rank(self):
        return len(self.dense_shape_)

    def with_values(self, new_values):
        return SparseTensor(self.indices, new_values, self.dense_shape_)

    @classmethod
    def from_value(cls, sparse_tensor_value):
        return sparse_tensor_value

    def consumers(self):
        return []


class IndexedSlices(Composite):
    def __init__(self, values, indices, dense_shape=None):
        self.values, self.indices, self.dense_shape = as_tensor(values), as_tensor(indices), dense_shape
        self.dtype, self.shape = self.values.dtype, self.values.shape


# A sparse tensor of this shape.
def of_shape(shape, dtype):
    return SparseTensor(None, made((free_size("values", 0),), dtype), shape)

# Specifications of tensors, as signatures and data sets have them.
from harp_library import free_size, require
from tensorflow._core import as_tensor
from tensorflow._shared import made, surely


# What is made of several tensors: data sets, ragged and sparse tensors.
class Composite:
    pass


class TypeSpec:
    def is_compatible_with(self, other):
        return True

    def most_specific_compatible_type(self, other):
        return self


class TensorSpec(TypeSpec):
    def __init__(self, shape, dtype="float32", name=None):
        self.dtype, self.name = dtype, name
        self.shape = shape
        if surely(isinstance(shape, int)):
            self.shape = TensorShape((shape,))
        if surely(isinstance(shape, (list, tuple))):
            self.shape = TensorShape(shape)

    @classmethod
    def from_tensor(cls, tensor, name=None):
        tensor = as_tensor(tensor)
        return cls(tensor.shape, tensor.dtype, name)

    @classmethod
    def from_spec(cls, spec, name=None):
        return cls(spec.shape, spec.dtype, name)

    @property
    def rank(self):
        return len(self.shape)

    # A tensor as a function is traced with: sizes that are not told are free.
    def _traced(self):
        if self.shape is None:
            return made(None, self.dtype)
        return made(tuple(free_size("size", 1) if size is None else size for size in self.shape), self.dtype)

    def _accepts(self, value):
        if self.shape is not None:
            shape = as_tensor(value).shape
            require(len(shape) == len(self.shape), "the argument has another number of axes than the signature says")
            for size, wanted in zip(shape, self.shape):
                if wanted is not None:
                    require(size == wanted, "the argument has another shape than the signature says")


class RaggedTensorSpec(TypeSpec):
    def __init__(self, shape=None, dtype="float32", ragged_rank=None, row_splits_dtype="int64", flat_values_spec=None):
        self.shape, self.dtype, self.ragged_rank = shape, dtype, ragged_rank


class SparseTensorSpec(TypeSpec):
    def __init__(self, shape=None, dtype="float32"):
        self.shape, self.dtype = shape, dtype


# The members that shapes have and tuples lack. A program makes one of a list, whose sizes may be `None`.
class TensorShape(tuple):
    def __new__(cls, dims=()):
        return tuple.__new__(cls, (dims,) if surely(isinstance(dims, int)) else dims)

    def __add__(self, other):
        return TensorShape(tuple(self) + tuple(other))

    def __radd__(self, other):
        return TensorShape(tuple(other) + tuple(self))

    def __getitem__(self, index):
        part = tuple(self)[index]
        return TensorShape(part) if surely(isinstance(index, slice)) else part

    def as_list(self):
        return list(self)

    @property
    def rank(self):
        return len(self)

    @property
    def ndims(self):
        return len(self)

    @property
    def dims(self):
        return list(self)

    def num_elements(self):
        count = 1
        for size in self:
            if size is None:
                return None
            count = count * size
        return count

    def is_fully_defined(self):
        return all(size is not None for size in self)

    def concatenate(self, other):
        return TensorShape(tuple(self) + tuple(other))

    def with_rank(self, rank):
        require(len(self) == rank, "the shape has another rank")
        return self

    def with_rank_at_least(self, rank):
        require(len(self) >= rank, "the shape has a smaller rank")
        return self

    def with_rank_at_most(self, rank):
        require(len(self) <= rank, "the shape has a larger rank")
        return self

    def assert_has_rank(self, rank):
        require(len(self) == rank, "the shape has another rank")

    def assert_is_fully_defined(self):
        pass

    def assert_same_rank(self, other):
        require(len(self) == len(other), "the shapes have different ranks")

    def merge_with(self, other):
        other = tuple(other)
        self.assert_is_compatible_with(other)
        return TensorShape(tuple(second if first is None else first for first, second in zip(self, other)))

    def is_compatible_with(self, other):
        if surely(isinstance(other, (list, tuple))):
            return len(self) == len(other) and all(one is None or two is None or one == two for one, two in zip(self, other))
        return True

    def assert_is_compatible_with(self, other):
        require(len(self) == len(other), "the shapes are incompatible")
        for first, second in zip(self, other):
            if first is not None and second is not None:
                require(first == second, "the shapes are incompatible")

    def most_specific_compatible_shape(self, other):
        return TensorShape(tuple(one if one == two else None for one, two in zip(self, other)))

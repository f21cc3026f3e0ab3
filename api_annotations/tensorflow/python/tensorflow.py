# The members of tensors, shapes and specifications of tensors.
from harp_library import array, free_size, is_known, require
from tensorflow._core import as_tensor as _as_tensor
from tensorflow._shared import made as _made, same_shape as _same_shape, sizes_of as _sizes_of


class Tensor:
    def get_shape(self):
        return self.shape

    def set_shape(self, shape):
        if isinstance(shape, (list, tuple)):
            require(len(shape) == len(self.shape), "the tensor has another number of axes than the shape")
            for own, wanted in zip(self.shape, shape):
                if wanted is not None:
                    require(own == wanted, "the tensor has another shape than it is said to have")

    def assign(self, value, use_locking=False, name=None, read_value=True):
        _same_shape(_as_tensor(value).shape, self.shape, "the value has another shape than the variable")
        return self

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        _same_shape(_as_tensor(delta).shape, self.shape, "the value has another shape than the variable")
        return self

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        _same_shape(_as_tensor(delta).shape, self.shape, "the value has another shape than the variable")
        return self

    def eval(self, feed_dict=None, session=None):
        from tensorflow._v1run import _run
        return _run(self, feed_dict)

    def initialized_value(self):
        return self

    def load(self, value, session=None):
        _same_shape(_as_tensor(value).shape, self.shape, "the value has another shape than the variable")

    @property
    def initializer(self):
        from tensorflow._v1graph import Operation
        return Operation("init")

    @property
    def initial_value(self):
        return self

    # A shape that a program sets for what it traces.
    @property
    def op(self):
        return _Operation()

    @property
    def trainable(self):
        return True


class _Operation:
    def __init__(self):
        self.name = "operation"
        self.type = "Operation"


# The members that shapes have and tuples lack. A program makes one of a list, whose sizes may be `None`.
class TensorShape(tuple):
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

    def merge_with(self, other):
        require(len(self) == len(other), "the shapes have different ranks")
        return TensorShape(tuple(second if first is None else first for first, second in zip(self, other)))

    def assert_is_compatible_with(self, other):
        require(len(self) == len(other), "the shapes are incompatible")
        for first, second in zip(self, other):
            if first is not None and second is not None:
                require(first == second, "the shapes are incompatible")



# The members of tensors.
from harp_library import array, is_known, require
from tensorflow._core import as_tensor as _as_tensor
from tensorflow._scatters import same_updates as _same_updates
from tensorflow._shared import same_shape as _same_shape, surely as _surely
from tensorflow._specs import RaggedTensorSpec, SparseTensorSpec, TensorShape, TensorSpec, TypeSpec


class Tensor:
    def get_shape(self):
        return self.shape

    def set_shape(self, shape):
        if _surely(isinstance(shape, (list, tuple))) and is_known(len(self.shape)):
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

    def scatter_nd_update(self, indices, updates, name=None):
        _same_updates(_as_tensor(indices), _as_tensor(updates), self.shape)
        return self

    def scatter_nd_add(self, indices, updates, name=None):
        return self.scatter_nd_update(indices, updates)

    def scatter_nd_sub(self, indices, updates, name=None):
        return self.scatter_nd_update(indices, updates)

    def scatter_nd_max(self, indices, updates, name=None):
        return self.scatter_nd_update(indices, updates)

    def scatter_nd_min(self, indices, updates, name=None):
        return self.scatter_nd_update(indices, updates)

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
        return Operation("init", (), [self])

    @property
    def initial_value(self):
        return self

    # What ragged tensors have: functions of dense ones take them for filled up.
    def to_tensor(self, default_value=None, name=None, shape=None):
        return self

    def row_lengths(self, axis=1, name=None):
        return self[:, 0]

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

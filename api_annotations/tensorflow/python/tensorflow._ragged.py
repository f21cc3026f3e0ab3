# Ragged tensors: rows of different lengths. Only how many rows there are and what a row's items are is known.
from harp_library import free_size, require
from tensorflow._core import as_tensor
from tensorflow._shared import made, surely
from tensorflow._specs import Composite, TensorShape


class RaggedTensor(Composite):
    # `values` has the items of all rows one after the other; it is ragged itself where rows have rows.
    def __init__(self, values, rows, longest=None):
        self.values, self.rows_ = values, rows
        self.longest_ = free_size("longest", 0) if longest is None else longest
        self.flat_values_ = values.flat_values_ if surely(isinstance(values, RaggedTensor)) else values
        self.dtype = self.flat_values_.dtype

    @property
    def flat_values(self):
        return self.flat_values_

    @property
    def shape(self):
        return TensorShape((self.rows_, None) + tuple(self.values.shape)[1:])

    def get_shape(self):
        return self.shape

    @property
    def ragged_rank(self):
        return self.values.ragged_rank + 1 if surely(isinstance(self.values, RaggedTensor)) else 1

    @property
    def row_splits(self):
        return made((self.rows_ + 1,), "int64")

    @property
    def nested_row_splits(self):
        return (self.row_splits,)

    @property
    def uniform_row_length(self):
        return None

    def row_lengths(self, axis=1, name=None):
        return made((self.rows_,), "int64")

    def row_starts(self, name=None):
        return made((self.rows_,), "int64")

    def row_limits(self, name=None):
        return made((self.rows_,), "int64")

    def value_rowids(self, name=None):
        return made((as_tensor(self.flat_values_).shape[0],), "int64")

    def nrows(self, out_type=None, name=None):
        return self.rows_

    def bounding_shape(self, axis=None, name=None, out_type=None):
        return made((2 + len(self.values.shape) - 1,), "int64") if axis is None else made((), "int64")

    def to_tensor(self, default_value=None, name=None, shape=None):
        if surely(isinstance(self.values, RaggedTensor)):
            inner = self.values.to_tensor().shape[1:]
        else:
            inner = self.values.shape[1:]
        longest = self.longest_
        rows = self.rows_
        if surely(isinstance(shape, (list, tuple))):
            sizes = tuple(own if size is None else size for size, own in zip(shape, (rows, longest) + inner))
            return made(sizes, self.dtype)
        return made((rows, longest) + inner, self.dtype)

    # Functions of dense tensors take the rows as if they were filled up.
    def __array__(self):
        return self.to_tensor()

    def to_sparse(self, name=None):
        from tensorflow._sparse import of_shape
        return of_shape((self.rows_, self.longest_), self.dtype)

    def to_list(self):
        return [[0]]

    def numpy(self):
        return self.to_tensor().numpy()

    def with_values(self, new_values):
        return RaggedTensor(_values(new_values), self.rows_)

    def with_flat_values(self, new_values):
        return RaggedTensor(_values(new_values), self.rows_)

    def merge_dims(self, outer_axis, inner_axis):
        return self.values

    def __getitem__(self, index):
        if surely(isinstance(index, int)):
            return made((free_size("row", 0),) + tuple(self.values.shape)[1:], self.dtype)
        return RaggedTensor(self.values, free_size("rows", 0))

    def __len__(self):
        return self.rows_

    @classmethod
    def from_row_splits(cls, values, row_splits, name=None, validate=True):
        values, splits = _values(values), as_tensor(row_splits)
        require(len(splits.shape) == 1, "the splits must be a vector")
        require(splits.shape[0] >= 1, "there must be a split at least")
        if surely(isinstance(row_splits, (list, tuple))) and surely(isinstance(row_splits[-1], int)):
            require(row_splits[0] == 0, "the first split must be 0")
            require(row_splits[-1] == values.shape[0], "the last split must be the number of values")
        return cls(values, splits.shape[0] - 1)

    @classmethod
    def from_row_lengths(cls, values, row_lengths, name=None, validate=True):
        values, lengths = _values(values), as_tensor(row_lengths)
        require(len(lengths.shape) == 1, "the lengths must be a vector")
        if surely(isinstance(row_lengths, (list, tuple))) and surely(all(surely(isinstance(length, int)) for length in row_lengths)):
            require(sum(row_lengths) == values.shape[0], "the lengths must add up to the number of values")
        return cls(values, lengths.shape[0])

    @classmethod
    def from_row_starts(cls, values, row_starts, name=None, validate=True):
        return cls(_values(values), as_tensor(row_starts).shape[0])

    @classmethod
    def from_row_limits(cls, values, row_limits, name=None, validate=True):
        return cls(_values(values), as_tensor(row_limits).shape[0])

    @classmethod
    def from_value_rowids(cls, values, value_rowids, nrows=None, name=None, validate=True):
        values, rows = _values(values), as_tensor(value_rowids)
        require(len(rows.shape) == 1, "the numbers of the rows must be a vector")
        require(rows.shape[0] == values.shape[0], "there must be the number of a row for each value")
        return cls(values, free_size("rows", 0) if nrows is None else nrows)

    @classmethod
    def from_uniform_row_length(cls, values, uniform_row_length, nrows=None, validate=True, name=None):
        values = _values(values)
        return cls(values, values.shape[0] // uniform_row_length if nrows is None else nrows)

    @classmethod
    def from_nested_row_splits(cls, flat_values, nested_row_splits, name=None, validate=True):
        return cls(_values(flat_values), as_tensor(nested_row_splits[0]).shape[0] - 1)

    @classmethod
    def from_nested_row_lengths(cls, flat_values, nested_row_lengths, name=None, validate=True):
        return cls(_values(flat_values), as_tensor(nested_row_lengths[0]).shape[0])

    @classmethod
    def from_tensor(cls, tensor, lengths=None, padding=None, ragged_rank=1, name=None, row_splits_dtype="int64"):
        tensor = as_tensor(tensor)
        require(len(tensor.shape) > ragged_rank, "the tensor must have an axis more than are ragged")
        return cls(made((free_size("values", 0),) + tensor.shape[2:], tensor.dtype), tensor.shape[0])

    @classmethod
    def from_sparse(cls, st_input, name=None, row_splits_dtype="int64"):
        return cls(made((free_size("values", 0),), st_input.dtype), st_input.dense_shape_[0])


def _values(values):
    return values if surely(isinstance(values, RaggedTensor)) else as_tensor(values)

# Diagonals and exponentials of matrices.
from harp_library import is_known, require
from tensorflow._core import as_tensor
from tensorflow._shared import made, same_shape, surely


# The first and the last of the diagonals, counted from the main one.
def _band(k):
    if surely(isinstance(k, int)):
        return k, k
    k = tuple(k)
    return k[0], k[-1]


def _diagonal_shape(rows, columns, k):
    low, high = _band(k)
    require(low <= high, "the lower diagonal must not be above the upper one")
    length = min(rows + min(high, 0), columns + min(-low, 0))
    return (length,) if low == high else (high - low + 1, length)


def diag(diagonal, name="diag", k=0, num_rows=-1, num_cols=-1, padding_value=0, align="RIGHT_LEFT"):
    diagonal = as_tensor(diagonal)
    require(len(diagonal.shape) >= 1, "a diagonal has an axis")
    low, high = _band(k)
    outer = diagonal.shape[:-1] if low == high else diagonal.shape[:-2]
    length = diagonal.shape[-1]
    if low != high:
        require(diagonal.shape[-2] == high - low + 1, "there must be a row for each diagonal")
    least_rows = length - min(high, 0)
    least_columns = length + max(low, 0)
    if num_rows == -1 and num_cols == -1:
        size = max(least_rows, least_columns)
        return made(outer + (size, size), diagonal.dtype)
    rows = least_rows if num_rows == -1 else num_rows
    columns = least_columns if num_cols == -1 else num_cols
    return made(outer + (rows, columns), diagonal.dtype)


def diag_part(input, name="diag_part", k=0, padding_value=0, align="RIGHT_LEFT"):
    input = as_tensor(input)
    require(len(input.shape) >= 2, "the tensor has no matrices")
    return made(input.shape[:-2] + _diagonal_shape(input.shape[-2], input.shape[-1], k), input.dtype)


def set_diag(input, diagonal, name="set_diag", k=0, align="RIGHT_LEFT"):
    input, diagonal = as_tensor(input), as_tensor(diagonal)
    require(len(input.shape) >= 2, "the tensor has no matrices")
    wanted = input.shape[:-2] + _diagonal_shape(input.shape[-2], input.shape[-1], k)
    same_shape(diagonal.shape, wanted, "the diagonal does not fit the matrices")
    return made(input.shape, input.dtype)


def tensor_diag(diagonal, name=None):
    diagonal = as_tensor(diagonal)
    return made(diagonal.shape + diagonal.shape, diagonal.dtype)


def tensor_diag_part(input, name=None):
    input = as_tensor(input)
    rank = len(input.shape)
    require(rank >= 2, "the tensor has no diagonal")
    require(rank % 2 == 0, "the tensor must have an even number of axes")
    half = rank // 2
    same_shape(input.shape[:half], input.shape[half:], "the first axes must be as large as the last")
    return made(input.shape[:half], input.dtype)


def expm(input, name=None):
    input = as_tensor(input)
    if is_known(len(input.shape)) and len(input.shape) < 2:
        return made(None, input.dtype)
    require(input.shape[-1] == input.shape[-2], "the matrices must be square")
    return made(input.shape, input.dtype)

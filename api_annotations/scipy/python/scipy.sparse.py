# Sparse matrices of SciPy as far as sizes go: each has an array of its shape, which stands for what it holds. How many numbers it holds is what
# only the data tells.
import numpy as np
import harp_library as _harp


class _Grid:
    """A dense result, which is an `np.matrix`: it has two dimensions, whatever is done with it."""

    def __init__(self, dense):
        self._dense = dense
        self.shape = dense.shape
        self.ndim = 2

    def __array__(self, dtype=None, copy=None):
        return self._dense

    @property
    def A(self):
        return self._dense

    @property
    def A1(self):
        return self._dense.ravel()

    @property
    def T(self):
        return _Grid(self._dense.T)

    def astype(self, dtype=None, *arguments, **options):
        return _Grid(self._dense.astype(dtype))

    def getA1(self):
        return self._dense.ravel()

    def __getitem__(self, key):
        return _harp.unknown("pandas.matrix.__getitem__")

    def __getattr__(self, name):
        return _harp.unknown("pandas.matrix." + name)


def _dense_of(value):
    return value._dense if isinstance(value, (_Sparse, _Grid)) else value


def _row_of(key):
    # Numbers that are no integers are cut off, where NumPy refuses them.
    if isinstance(key, np.ndarray) and key.dtype in (np.float32, np.float64):
        return key.astype(np.int64)
    return slice(key, key + 1) if isinstance(key, int) and not isinstance(key, bool) and key >= 0 else key


class _Sparse:
    _multiplies_elements = False

    def __init__(self, arg1, shape=None, dtype=None, copy=False, **options):
        if isinstance(arg1, (_Sparse, _Grid)):
            dense = arg1._dense
        elif isinstance(arg1, tuple):
            if shape is not None:
                dense = np.zeros(shape)
            elif isinstance(arg1[1], tuple):
                dense = np.zeros((_harp.free_size("rows", 0), _harp.free_size("columns", 0)))
            elif len(arg1) == 3:
                dense = np.zeros((len(arg1[2]) - 1, _harp.free_size("columns", 0)))
            else:
                dense = np.zeros(arg1)
        else:
            dense = np.atleast_2d(np.asarray(arg1))
        self._dense = dense if dtype is None else dense.astype(dtype)
        self.nnz = _harp.free_size("nonzero", 0)

    def _of(self, dense):
        return csr_array(dense) if self._multiplies_elements else csr_matrix(dense)

    def _reduced(self, axis, dense):
        if axis is None:
            return dense.sum()
        if self._multiplies_elements:
            return dense.sum(axis)
        return _Grid(dense.sum(axis, keepdims=True))

    @property
    def shape(self):
        return self._dense.shape

    ndim = 2

    @property
    def dtype(self):
        return self._dense.dtype

    @property
    def size(self):
        return self.nnz

    def getnnz(self, axis=None):
        return self.nnz

    @property
    def data(self):
        return np.zeros(self.nnz, dtype=self._dense.dtype)

    @property
    def row(self):
        return np.zeros(self.nnz, dtype=np.int32)

    col = indices = row

    @property
    def indptr(self):
        return np.zeros(self._dense.shape[0] + 1, dtype=np.int32)

    def nonzero(self):
        return self.row, self.row

    @property
    def T(self):
        return self._of(self._dense.T)

    def transpose(self, *arguments, **options):
        return self._of(self._dense.T)

    def _same(self, *arguments, **options):
        return self

    tocoo = tocsr = tocsc = tolil = todok = tobsr = todia = asformat = copy = asfptype = conj = conjugate = _same
    __neg__ = __abs__ = power = sqrt = sign = _same

    def astype(self, dtype=None, *arguments, **options):
        return self._of(self._dense.astype(dtype))

    def toarray(self, *arguments, **options):
        return self._dense

    def todense(self, *arguments, **options):
        return self._dense if self._multiplies_elements else _Grid(self._dense)

    @property
    def A(self):
        return self._dense

    def dot(self, other):
        if isinstance(other, (int, float)):
            return self
        if isinstance(other, _Sparse):
            return self._of(self._dense @ other._dense)
        if isinstance(other, _Grid):
            return _Grid(self._dense @ other._dense)
        return self._dense @ other

    __matmul__ = dot

    def __rmatmul__(self, other):
        return other @ self._dense

    def __mul__(self, other):
        return self.multiply(other) if self._multiplies_elements else self.dot(other)

    def __rmul__(self, other):
        if isinstance(other, (int, float)):
            return self
        return self.multiply(other) if self._multiplies_elements else other @ self._dense

    def multiply(self, other):
        return self._of(self._dense * _dense_of(other))

    def _joined(self, other):
        if isinstance(other, (int, float)):
            return self
        if isinstance(other, _Sparse):
            return self._of(self._dense + other._dense)
        return _Grid(self._dense + _dense_of(other))

    __add__ = __radd__ = __sub__ = __rsub__ = __truediv__ = _joined

    def _compared(self, other):
        return self._of(self._dense > _dense_of(other))

    __gt__ = __lt__ = __ge__ = __le__ = __ne__ = _compared

    def maximum(self, other):
        return self._of(self._dense + _dense_of(other))

    minimum = maximum

    def sum(self, axis=None, *arguments, **options):
        return self._reduced(axis, self._dense)

    mean = sum

    def diagonal(self, k=0):
        return self._dense.diagonal(k)

    def _changed(self, *arguments, **options):
        return None

    setdiag = eliminate_zeros = sort_indices = sum_duplicates = __setitem__ = _changed

    def getrow(self, i):
        return self._of(self._dense[:1])

    def getcol(self, j):
        return self._of(self._dense[:, :1])

    def __contains__(self, key):
        return bool(_harp.outside("cell of a table"))

    def __getitem__(self, key):
        if isinstance(key, _Sparse):
            return _harp.unknown("pandas.sparse.__getitem__")
        if isinstance(key, tuple):
            if isinstance(key[0], int) and isinstance(key[1], int):
                return self._dense[key]
            key = tuple(_row_of(part) for part in key)
        else:
            key = _row_of(key)
        taken = self._dense[key]
        return self._of(taken) if taken.ndim == 2 else _harp.unknown("pandas.sparse.__getitem__")

    def __getattr__(self, name):
        return _harp.unknown("pandas.sparse." + name)


class csr_matrix(_Sparse):
    pass


class csr_array(_Sparse):
    _multiplies_elements = True


csc_matrix = coo_matrix = lil_matrix = dok_matrix = bsr_matrix = dia_matrix = spmatrix = csr_matrix
csc_array = coo_array = lil_array = dok_array = bsr_array = dia_array = sparray = csr_array


def issparse(x):
    return isinstance(x, _Sparse)


isspmatrix = isspmatrix_coo = isspmatrix_csr = isspmatrix_csc = issparse


def eye(m, n=None, k=0, dtype=None, format=None):
    return csr_matrix(np.eye(m, m if n is None else n))


def identity(n, dtype=None, format=None):
    return csr_matrix(np.eye(n))


def eye_array(m, n=None, **options):
    return csr_array(np.eye(m, m if n is None else n))


def diags(diagonals, offsets=0, shape=None, format=None, dtype=None):
    if shape is not None:
        return csr_matrix(np.zeros(shape))
    if isinstance(offsets, int) and offsets == 0 and isinstance(diagonals, np.ndarray):
        return csr_matrix(np.diag(diagonals)) if diagonals.ndim == 1 else csr_matrix(np.diag(diagonals[0]))
    if isinstance(diagonals, (list, tuple)) and len(diagonals) == 1 and isinstance(diagonals[0], np.ndarray):
        return csr_matrix(np.diag(diagonals[0]))
    side = _harp.free_size("side", 0)
    return csr_matrix(np.zeros((side, side)))


def vstack(blocks, format=None, dtype=None):
    return csr_matrix(np.concatenate([_dense_of(block) for block in blocks], axis=0))


def hstack(blocks, format=None, dtype=None):
    return csr_matrix(np.concatenate([_dense_of(block) for block in blocks], axis=1))


def block_diag(mats, format=None, dtype=None):
    shapes = [_dense_of(block).shape for block in mats]
    return csr_matrix(np.zeros((sum(shape[0] for shape in shapes), sum(shape[1] for shape in shapes))))


def random(m, n, density=0.01, format="coo", dtype=None, *arguments, **options):
    return csr_matrix(np.zeros((m, n)))


rand = random


def triu(A, k=0, format=None):
    return csr_matrix(_dense_of(A))


tril = triu


def find(A):
    return A.row, A.row, A.data


def load_npz(file):
    return csr_matrix(np.zeros((_harp.free_size("rows", 0), _harp.free_size("columns", 0))))


def save_npz(file, matrix, compressed=True):
    return None

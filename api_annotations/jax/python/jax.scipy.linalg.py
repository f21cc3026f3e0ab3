# What the shape notation cannot say of jax.scipy.linalg.
import numpy as np
import jax.numpy as jnp
from harp_library import require, tensor

_CLASS = "jax.Array"


def _square(a):
    shape = np.shape(a)
    require(len(shape) >= 2, "a matrix is wanted")
    require(shape[-1] == shape[-2], "a square matrix is wanted")
    return shape


def cho_factor(a, lower=False, overwrite_a=False, check_finite=True):
    return tensor(_square(a), a.dtype, _CLASS), lower


def _solved(a, b):
    shape, right = np.shape(a), np.shape(b)
    require(right[-1 if len(right) == 1 else -2] == shape[-1], "the right side does not fit the matrix")
    return tensor(right, b.dtype, _CLASS)


def cho_solve(c_and_lower, b, overwrite_b=False, check_finite=True):
    factor, lower = c_and_lower
    _square(factor)
    return _solved(factor, b)


def lu_solve(lu_and_piv, b, trans=0, overwrite_b=False, check_finite=True):
    factor, pivots = lu_and_piv
    _square(factor)
    return _solved(factor, b)


def lu(a, permute_l=False, overwrite_a=False, check_finite=True):
    shape = np.shape(a)
    require(len(shape) >= 2, "a matrix is wanted")
    batch, rows, columns = shape[:-2], shape[-2], shape[-1]
    inner = min(rows, columns)
    left = tensor(batch + (rows, inner), a.dtype, _CLASS)
    right = tensor(batch + (inner, columns), a.dtype, _CLASS)
    if permute_l:
        return left, right
    return tensor(batch + (rows, rows), a.dtype, _CLASS), left, right


def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    shape = np.shape(a)
    require(len(shape) >= 2, "a matrix is wanted")
    batch, rows, columns = shape[:-2], shape[-2], shape[-1]
    inner = min(rows, columns) if mode == "economic" else rows
    right = tensor(batch + (inner, columns), a.dtype, _CLASS)
    found = (right,) if mode == "r" else (tensor(batch + (rows, inner), a.dtype, _CLASS), right)
    return found + (tensor(batch + (columns,), np.int32, _CLASS),) if pivoting else found


def svd(a, full_matrices=True, compute_uv=True, overwrite_a=False, check_finite=True, lapack_driver="gesdd"):
    return jnp.linalg.svd(a, full_matrices=full_matrices, compute_uv=compute_uv)


def eigh(a, b=None, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, turbo=True, eigvals=None, type=1, check_finite=True):
    shape = _square(a)
    values = tensor(shape[:-1], a.dtype, _CLASS)
    return values if eigvals_only else (values, tensor(shape, a.dtype, _CLASS))


def block_diag(*arrs):
    rows = columns = 0
    for part in arrs:
        shape = np.shape(part)
        require(len(shape) <= 2, "block_diag takes matrices")
        rows = rows + (shape[-2] if len(shape) == 2 else 1)
        columns = columns + (shape[-1] if len(shape) >= 1 else 1)
    return tensor((rows, columns), jnp.asarray(arrs[0]).dtype if len(arrs) > 0 else None, _CLASS)


def toeplitz(c, r=None):
    if np.ndim(c) > 1:
        return tensor(None, c.dtype, _CLASS)
    return tensor((np.size(c), np.size(c if r is None else r)), c.dtype, _CLASS)


hankel = toeplitz

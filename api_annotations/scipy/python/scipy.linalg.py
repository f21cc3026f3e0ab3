# `scipy.linalg`: matrices.
import numpy as np
import harp_library as _harp
from scipy._numbers import number as _number, numbers as _numbers


def _square(a):
    a = np.asarray(a)
    if a.ndim == 2:
        _harp.judge(a.shape[0] == a.shape[1], "expected square matrix")
    return a


def _as_it_is(a, *arguments, **options):
    return _harp.array(_square(a).shape)


inv = expm = cosm = sinm = tanm = fractional_matrix_power = cholesky = coshm = sinhm = _as_it_is


# Before SciPy 1.18, `disp=False` asked for an estimate of the error besides; programs that compute Fréchet distances do.
def sqrtm(a, disp=True, blocksize=64):
    result = _as_it_is(a)
    return result if disp else (result, _number())


logm = signm = sqrtm


def funm(a, func, disp=True):
    return sqrtm(a, disp)


def pinv(a, *arguments, return_rank=False, **options):
    shape = np.shape(a)
    result = _harp.array(shape[:-2] + (shape[-1], shape[-2]))
    return (result, _harp.free_size("rank", 0)) if return_rank else result


pinvh = pinv


def det(a, *arguments, **options):
    return _number() if np.ndim(a) == 2 else _harp.array(np.shape(a)[:-2])


def norm(a, ord=None, axis=None, keepdims=False, check_finite=True):
    return _number() if axis is None and not keepdims else _harp.array(None)


def eigh(a, b=None, *, lower=True, eigvals_only=False, overwrite_a=False, overwrite_b=False, type=1, check_finite=True, subset_by_index=None,
         subset_by_value=None, driver=None, **options):
    rows = _square(a).shape[-1]
    count = rows if subset_by_index is None and subset_by_value is None else _harp.free_size("eigenvalues", 0)
    return _harp.array((count,)) if eigvals_only else (_harp.array((count,)), _harp.array((rows, count)))


def eigvalsh(a, *arguments, subset_by_index=None, subset_by_value=None, **options):
    return _harp.array((_square(a).shape[-1] if subset_by_index is None and subset_by_value is None else _harp.free_size("eigenvalues", 0),))


def eig(a, b=None, left=False, right=True, *arguments, **options):
    rows = _square(a).shape[-1]
    values, vectors = _harp.array((rows,)), _harp.array((rows, rows))
    if left and right:
        return values, vectors, vectors
    return (values, vectors) if left or right else values


def eigvals(a, *arguments, **options):
    return _harp.array((_square(a).shape[-1],))


def svd(a, full_matrices=True, compute_uv=True, *arguments, **options):
    rows, columns = np.shape(a)
    least = min(rows, columns)
    if not compute_uv:
        return _harp.array((least,))
    left, right = (rows, columns) if full_matrices else (least, least)
    return _harp.array((rows, left)), _harp.array((least,)), _harp.array((right, columns))


def svdvals(a, *arguments, **options):
    rows, columns = np.shape(a)
    return _harp.array((min(rows, columns),))


def solve(a, b, *arguments, **options):
    a = _square(a)
    if np.ndim(b) > 0 and a.ndim == 2:
        _harp.judge(a.shape[-1] == np.shape(b)[0], "the matrices have different numbers of rows")
    return _harp.array(np.shape(b))


solve_triangular = solve


def cho_factor(a, lower=False, *arguments, **options):
    return _harp.array(_square(a).shape), lower


def cho_solve(c_and_lower, b, *arguments, **options):
    return _harp.array(np.shape(b))


def lstsq(a, b, *arguments, **options):
    return _harp.array((np.shape(a)[1],) + tuple(np.shape(b)[1:])), _harp.array(None), _harp.free_size("rank", 0), _harp.array(None)


def qr(a, overwrite_a=False, lwork=None, mode="full", pivoting=False, check_finite=True):
    rows, columns = np.shape(a)
    if pivoting or mode not in ("full", "economic"):
        return _numbers()
    middle = rows if mode == "full" else min(rows, columns)
    return _harp.array((rows, middle)), _harp.array((middle, columns))


def lu(a, permute_l=False, *arguments, p_indices=False, **options):
    rows, columns = np.shape(a)
    least = min(rows, columns)
    if p_indices:
        return _numbers()
    left, right = _harp.array((rows, least)), _harp.array((least, columns))
    return (left, right) if permute_l else (_harp.array((rows, rows)), left, right)


def lu_factor(a, *arguments, **options):
    return _harp.array(np.shape(a)), _harp.array((min(np.shape(a)),))


def lu_solve(lu_and_piv, b, *arguments, **options):
    return _harp.array(np.shape(b))


def block_diag(*arrs):
    shapes = [np.shape(np.atleast_2d(array)) for array in arrs]
    return _harp.array((sum(shape[0] for shape in shapes), sum(shape[1] for shape in shapes)))


def toeplitz(c, r=None):
    return _harp.array((np.size(c), np.size(c) if r is None else np.size(r)))


hankel = toeplitz


def circulant(c):
    return _harp.array((np.shape(c)[-1], np.shape(c)[-1]))


def hadamard(n, dtype=int):
    return _harp.array((n, n))


hilbert = invhilbert = pascal = dft = hadamard


def kron(a, b):
    return np.kron(a, b)


def orthogonal_procrustes(A, B, check_finite=True):
    columns = np.shape(A)[1]
    return _harp.array((columns, columns)), _number()


null_space = orth = schur = hessenberg = polar = qz = solve_sylvester = solve_continuous_are = solve_discrete_are = solve_lyapunov = _numbers
solve_continuous_lyapunov = solve_discrete_lyapunov = eig_banded = eigh_tridiagonal = subspace_angles = tril = triu = interpolative = _numbers


class LinAlgError(Exception):
    pass

# `scipy.spatial.distance`: distances of rows.
import numpy as np
import harp_library as _harp


def cdist(XA, XB, metric="euclidean", **options):
    if np.ndim(XA) != 2 or np.ndim(XB) != 2:
        raise ValueError("the arrays must have 2 dimensions")
    if np.shape(XA)[1] != np.shape(XB)[1]:
        raise ValueError("the arrays must have the same number of columns")
    return np.zeros((np.shape(XA)[0], np.shape(XB)[0]))


def pdist(X, metric="euclidean", **options):
    n = np.shape(X)[0]
    return np.zeros(n * (n - 1) // 2)


def squareform(X, *arguments, **options):
    if np.ndim(X) == 2:
        n = np.shape(X)[0]
        return np.zeros(n * (n - 1) // 2)
    n = _harp.free_size("points", 1)
    return np.zeros((n, n))


def _of_two(u, v, *arguments, **options):
    if np.shape(u) != np.shape(v):
        raise ValueError("the vectors must have the same length")
    return _harp.outside("cell of a table")


euclidean = cosine = cityblock = correlation = chebyshev = sqeuclidean = braycurtis = canberra = hamming = jaccard = _of_two

# `sklearn.metrics.pairwise`: each row with each.
import numpy as np
import harp_library as _harp
from sklearn._tables import Sparse, array_of
from sklearn.metrics import euclidean_distances, nan_euclidean_distances, pairwise_distances, pairwise_distances_argmin, pairwise_distances_argmin_min


def _rows(X):
    return X if isinstance(X, Sparse) else array_of(X)


def _of_each(X, Y=None, *arguments, **options):
    left, right = _rows(X), _rows(X) if Y is None else _rows(Y)
    if isinstance(left, np.ndarray) and isinstance(right, np.ndarray):
        _harp.judge(left.ndim == 2, "Expected 2D array")
        _harp.judge(right.ndim == 2, "Expected 2D array")
        if left.ndim == 2 and right.ndim == 2:
            _harp.judge(left.shape[1] == right.shape[1], "Incompatible dimension for X and Y matrices")
    return _harp.array((left.shape[0], right.shape[0]))


def cosine_similarity(X, Y=None, *arguments, **options):
    return _of_each(X, Y)


def cosine_distances(X, Y=None, *arguments, **options):
    return _of_each(X, Y)


def manhattan_distances(X, Y=None, *arguments, **options):
    return _of_each(X, Y)


def haversine_distances(X, Y=None, *arguments, **options):
    return _of_each(X, Y)


def linear_kernel(X, Y=None, *arguments, **options):
    return _of_each(X, Y)


def polynomial_kernel(X, Y=None, *arguments, **options):
    return _of_each(X, Y)


def rbf_kernel(X, Y=None, *arguments, **options):
    return _of_each(X, Y)


def laplacian_kernel(X, Y=None, *arguments, **options):
    return _of_each(X, Y)


def sigmoid_kernel(X, Y=None, *arguments, **options):
    return _of_each(X, Y)


def chi2_kernel(X, Y=None, *arguments, **options):
    return _of_each(X, Y)


def additive_chi2_kernel(X, Y=None, *arguments, **options):
    return _of_each(X, Y)


def pairwise_kernels(X, Y=None, *arguments, **options):
    return _of_each(X, Y)


def paired_distances(X, Y, *arguments, **options):
    return np.zeros(_rows(X).shape[0])


paired_cosine_distances = paired_euclidean_distances = paired_manhattan_distances = paired_distances

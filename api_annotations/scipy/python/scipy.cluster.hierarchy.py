# `scipy.cluster.hierarchy`: groups of groups.
import numpy as np
import harp_library as _harp
from scipy._numbers import numbers as _numbers


def linkage(y, method="single", metric="euclidean", optimal_ordering=False):
    if isinstance(y, np.ndarray) and y.ndim == 2:
        return np.zeros((y.shape[0] - 1, 4))
    return np.zeros((_harp.free_size("links", 1), 4))


ward = average = complete = single = weighted = centroid = median = linkage


def fcluster(Z, t, *arguments, **options):
    return np.zeros(np.shape(Z)[0] + 1, dtype=np.int32)


def fclusterdata(X, t, *arguments, **options):
    return np.zeros(np.shape(X)[0], dtype=np.int32)


def leaves_list(Z):
    return np.zeros(np.shape(Z)[0] + 1, dtype=np.int32)


dendrogram = cophenet = inconsistent = optimal_leaf_ordering = set_link_color_palette = to_tree = cut_tree = maxdists = _numbers

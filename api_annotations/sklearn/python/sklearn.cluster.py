# `sklearn.cluster`: rows that lie together.
import numpy as np
import harp_library as _harp
from sklearn._estimators import Model, rows_of


class _Clusters(Model):
    def _fitted(self, X):
        self.labels_ = _harp.array((rows_of(X),))

    def fit_predict(self, X, y=None, **options):
        self.fit(X)
        return self.labels_


class KMeans(_Clusters):
    def __init__(self, n_clusters=8, **options):
        self.n_clusters = n_clusters

    def _fitted(self, X):
        _Clusters._fitted(self, X)
        self.cluster_centers_ = _harp.array((self.n_clusters, self.n_features_in_))

    def transform(self, X):
        return _harp.array((self._rows(X), self.n_clusters))

    def fit_transform(self, X, y=None, sample_weight=None):
        return self.fit(X).transform(X)


class MiniBatchKMeans(KMeans):
    pass


class BisectingKMeans(KMeans):
    pass


class AffinityPropagation(_Clusters):
    pass


class AgglomerativeClustering(_Clusters):
    pass


class Birch(_Clusters):
    pass


class DBSCAN(_Clusters):
    pass


class HDBSCAN(_Clusters):
    pass


class MeanShift(_Clusters):
    pass


class OPTICS(_Clusters):
    pass


class SpectralClustering(_Clusters):
    pass


def k_means(X, n_clusters, *, return_n_iter=False, **options):
    found = _harp.array((n_clusters, X.shape[1])), _harp.array((rows_of(X),)), float(_harp.outside("a sum of distances"))
    return found + (_harp.free_size("rounds", 1),) if return_n_iter else found


def estimate_bandwidth(X, **options):
    return float(_harp.outside("a bandwidth"))

# `sklearn.neighbors`: the rows that lie nearest.
import numpy as np
import harp_library as _harp
from sklearn._estimators import Model, Outliers, rows_of


class NearestNeighbors(Model):
    def __init__(self, n_neighbors=5, *arguments, **options):
        self.n_neighbors = n_neighbors

    def _fitted(self, X):
        self.n_samples_fit_ = rows_of(X)

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        count = self.n_neighbors if n_neighbors is None else n_neighbors
        rows = self.n_samples_fit_ if X is None else self._rows(X)
        indices = np.zeros((rows, count), dtype=np.int64)
        return (np.zeros((rows, count)), indices) if return_distance else indices

    def kneighbors_graph(self, X=None, n_neighbors=None, mode="connectivity"):
        return _harp.outside("a graph of neighbours")

    def radius_neighbors(self, X=None, radius=None, return_distance=True, sort_results=False):
        return _harp.outside("neighbours")

    radius_neighbors_graph = radius_neighbors


class KNeighborsClassifier(NearestNeighbors):
    pass


class KNeighborsRegressor(NearestNeighbors):
    pass


class RadiusNeighborsClassifier(Model):
    pass


class RadiusNeighborsRegressor(Model):
    pass


class NearestCentroid(Model):
    pass


class LocalOutlierFactor(Outliers):
    pass


class KernelDensity(Model):
    def score_samples(self, X):
        return np.zeros(self._rows(X))

    def sample(self, n_samples=1, random_state=None):
        return np.zeros((n_samples, self.n_features_in_))


class KDTree:
    def __init__(self, X, leaf_size=40, metric="minkowski", **options):
        self._all = rows_of(X)

    def query(self, X, k=1, return_distance=True, **options):
        indices = np.zeros((rows_of(X), k), dtype=np.int64)
        return (np.zeros((rows_of(X), k)), indices) if return_distance else indices

    def query_radius(self, X, r, **options):
        return _harp.outside("neighbours")


class BallTree(KDTree):
    pass


def kneighbors_graph(X, n_neighbors, **options):
    return _harp.outside("a graph of neighbours")


radius_neighbors_graph = kneighbors_graph

# `sklearn.manifold`: rows in few dimensions.
import numpy as np
import harp_library as _harp
from sklearn._estimators import Reducer, rows_of


class TSNE(Reducer):
    def __init__(self, n_components=2, **options):
        self.n_components = n_components

    def _fitted(self, X):
        self._kept = self.n_components
        self.embedding_ = _harp.array((rows_of(X), self.n_components))


class Isomap(TSNE):
    pass


class LocallyLinearEmbedding(TSNE):
    pass


class MDS(TSNE):
    pass


class SpectralEmbedding(TSNE):
    pass


def trustworthiness(X, X_embedded, *, n_neighbors=5, metric="euclidean"):
    return float(_harp.outside("a number"))

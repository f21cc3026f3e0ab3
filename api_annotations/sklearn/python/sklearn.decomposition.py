# `sklearn.decomposition`, as far as sizes go.
import numpy as np
import harp_library as _harp
from sklearn._tables import array_of


class PCA:
    def __init__(self, n_components=None, **options):
        self.n_components = n_components

    def fit(self, X, y=None):
        X = array_of(X)
        self.n_features_in_ = X.shape[1]
        self.n_components_ = self.n_components
        if not isinstance(self.n_components, int):
            self.n_components_ = _harp.free_size("components", 1)
        self.components_ = np.zeros((self.n_components_, X.shape[1]))
        self.mean_ = np.zeros(X.shape[1])
        self.explained_variance_ = self.explained_variance_ratio_ = self.singular_values_ = np.zeros(self.n_components_)
        return self

    def transform(self, X):
        X = array_of(X)
        if X.shape[1] != self.n_features_in_:
            raise ValueError("there are not as many features as the transformer was fitted to")
        return np.zeros((X.shape[0], self.n_components_))

    def fit_transform(self, X, y=None):
        self.fit(X)
        return self.transform(X)

    def inverse_transform(self, X):
        return np.zeros((array_of(X).shape[0], self.n_features_in_))


class TruncatedSVD(PCA):
    pass


class NMF(PCA):
    pass


class FastICA(PCA):
    pass


class KernelPCA(PCA):
    pass


class IncrementalPCA(PCA):
    pass


class SparsePCA(PCA):
    pass


class FactorAnalysis(PCA):
    pass


class MiniBatchNMF(PCA):
    pass


class DictionaryLearning(PCA):
    pass


class MiniBatchDictionaryLearning(PCA):
    pass


class LatentDirichletAllocation(PCA):
    def __init__(self, n_components=10, **options):
        self.n_components = n_components

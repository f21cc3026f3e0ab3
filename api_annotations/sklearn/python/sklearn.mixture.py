# `sklearn.mixture`: mixtures of distributions.
import numpy as np
import harp_library as _harp
from sklearn._estimators import Model


class GaussianMixture(Model):
    def __init__(self, n_components=1, **options):
        self.n_components = n_components

    def _fitted(self, X):
        self.means_ = np.zeros((self.n_components, self.n_features_in_))
        self.weights_ = np.zeros(self.n_components)

    def predict_proba(self, X):
        return np.zeros((self._rows(X), self.n_components))

    def score_samples(self, X):
        return np.zeros(self._rows(X))

    def sample(self, n_samples=1):
        return np.zeros((n_samples, self.n_features_in_)), np.zeros(n_samples, dtype=np.int64)

    def bic(self, X):
        return float(_harp.outside("a criterion"))

    aic = bic


class BayesianGaussianMixture(GaussianMixture):
    pass

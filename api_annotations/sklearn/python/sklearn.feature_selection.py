# `sklearn.feature_selection`: fewer columns.
import numpy as np
import harp_library as _harp
from sklearn._estimators import Reducer, Wrapper


class _Selector(Reducer):
    def _width(self):
        return _harp.free_size("columns", 1)

    def get_support(self, indices=False):
        return np.zeros(self._kept, dtype=np.int64) if indices else np.zeros(self.n_features_in_, dtype=bool)

    @property
    def scores_(self):
        return np.zeros(self.n_features_in_)

    pvalues_ = scores_


class SelectKBest(_Selector):
    def __init__(self, score_func=None, *, k=10):
        self.k = k

    def _width(self):
        return self.k if isinstance(self.k, int) else _harp.free_size("columns", 1)


class SelectPercentile(_Selector):
    pass


class VarianceThreshold(_Selector):
    pass


class SelectFpr(_Selector):
    pass


class SelectFdr(_Selector):
    pass


class SelectFromModel(Wrapper):
    pass


class RFE(Wrapper):
    pass


class RFECV(Wrapper):
    pass


class SequentialFeatureSelector(Wrapper):
    pass


def mutual_info_classif(X, y, **options):
    return np.zeros(X.shape[1])


mutual_info_regression = mutual_info_classif


def f_classif(X, y):
    return np.zeros(X.shape[1]), np.zeros(X.shape[1])


chi2 = f_regression = f_classif

# `sklearn.preprocessing`: what is fitted to features wants as many again.
import numpy as np
import pandas as _pandas
from sklearn._tables import array_of, distinct, length_of


class _Transformer:
    def __init__(self, *arguments, **options):
        pass

    def fit(self, X, y=None, sample_weight=None):
        X = array_of(X)
        if X.ndim != 2:
            raise ValueError("expected an array with two dimensions")
        self.n_features_in_ = X.shape[1]
        self.mean_ = self.scale_ = self.var_ = np.zeros(X.shape[1])
        self.data_min_ = self.data_max_ = self.min_ = self.data_range_ = np.zeros(X.shape[1])
        return self

    partial_fit = fit

    def transform(self, X, copy=None):
        X = array_of(X)
        if X.ndim != 2:
            raise ValueError("expected an array with two dimensions")
        if X.shape[1] != self.n_features_in_:
            raise ValueError("there are not as many features as the transformer was fitted to")
        return self._transformed(X)

    inverse_transform = transform

    def _transformed(self, X):
        return np.zeros(X.shape, dtype=X.dtype if X.dtype in (np.float32, np.float64) else np.float64)

    def fit_transform(self, X, y=None, **options):
        self.fit(X, y)
        return self.transform(X)


class StandardScaler(_Transformer):
    pass


class MinMaxScaler(_Transformer):
    pass


class RobustScaler(_Transformer):
    pass


class MaxAbsScaler(_Transformer):
    pass


class Normalizer(_Transformer):
    pass


class QuantileTransformer(_Transformer):
    pass


class PowerTransformer(_Transformer):
    pass


class OrdinalEncoder(_Transformer):
    @property
    def categories_(self):
        return [_pandas._cells((_pandas._count("categories", 1),)) for place in range(self.n_features_in_)]


class PolynomialFeatures(_Transformer):
    def __init__(self, degree=2, interaction_only=False, include_bias=True, **options):
        self._is_square = degree == 2 and not interaction_only
        self._bias = 1 if include_bias else 0

    def _transformed(self, X):
        n = X.shape[1]
        width = n + n * (n + 1) // 2 + self._bias if self._is_square else _pandas._count("features", 1)
        return np.zeros((X.shape[0], width))


class OneHotEncoder(_Transformer):
    def __init__(self, sparse_output=True, sparse=None, drop=None, **options):
        self._is_sparse = sparse_output if sparse is None else sparse

    def fit(self, X, y=None):
        _Transformer.fit(self, X)
        self._width = _pandas._count("categories", 1)
        return self

    def _transformed(self, X):
        array = np.zeros((X.shape[0], self._width))
        return _Sparse(array) if self._is_sparse else array

    inverse_transform = _Transformer.transform

    @property
    def categories_(self):
        return [_pandas._cells((_pandas._count("categories", 1),)) for place in range(self.n_features_in_)]


class _Sparse:
    """A sparse matrix."""

    def __init__(self, array):
        self._array = array
        self.shape = array.shape

    def toarray(self):
        return self._array

    todense = toarray

    def __getitem__(self, index):
        return _Sparse(self._array[index])


class LabelEncoder:
    def fit(self, y):
        self.classes_ = _pandas._cells((distinct(y),))
        return self

    def transform(self, y):
        return np.zeros(length_of(y), dtype=np.int64)

    def fit_transform(self, y):
        self.fit(y)
        return self.transform(y)

    def inverse_transform(self, y):
        return _pandas._cells((length_of(y),))


class LabelBinarizer(LabelEncoder):
    def __init__(self, **options):
        pass

    def transform(self, y):
        return np.zeros((length_of(y), len(self.classes_)), dtype=np.int64)


class MultiLabelBinarizer(LabelBinarizer):
    def __init__(self, classes=None, **options):
        self.classes = classes

    def fit(self, y):
        self.classes_ = _pandas._cells((_pandas._count("classes", 1) if self.classes is None else len(self.classes),))
        return self


def scale(X, *arguments, **options):
    return array_of(X) * 1.0


minmax_scale = normalize = robust_scale = scale

# `sklearn.preprocessing`: what is fitted to features wants as many again.
import numpy as np
import harp_library as _harp, pandas as _pandas
from sklearn._tables import Sparse, Transformer, array_of, distinct, length_of


class StandardScaler(Transformer):
    pass


class MinMaxScaler(Transformer):
    pass


class RobustScaler(Transformer):
    pass


class MaxAbsScaler(Transformer):
    pass


class Normalizer(Transformer):
    pass


class QuantileTransformer(Transformer):
    pass


class PowerTransformer(Transformer):
    pass


class OrdinalEncoder(Transformer):
    @property
    def categories_(self):
        return [_pandas._cells((_harp.free_size("categories", 1),)) for place in range(self.n_features_in_)]


class PolynomialFeatures(Transformer):
    def __init__(self, degree=2, interaction_only=False, include_bias=True, **options):
        self._is_square = degree == 2 and not interaction_only
        self._bias = 1 if include_bias else 0

    def _transformed(self, X):
        n = X.shape[1]
        width = n + n * (n + 1) // 2 + self._bias if self._is_square else _harp.free_size("features", 1)
        return np.zeros((X.shape[0], width))


class OneHotEncoder(Transformer):
    def __init__(self, sparse_output=True, sparse=None, drop=None, **options):
        self._is_sparse = sparse_output if sparse is None else sparse

    def fit(self, X, y=None):
        Transformer.fit(self, X)
        self._width = _harp.free_size("categories", 1)
        return self

    def _transformed(self, X):
        array = np.zeros((X.shape[0], self._width))
        return Sparse(array) if self._is_sparse else array

    inverse_transform = Transformer.transform

    @property
    def categories_(self):
        return [_pandas._cells((_harp.free_size("categories", 1),)) for place in range(self.n_features_in_)]


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
        self.classes_ = _pandas._cells((_harp.free_size("classes", 1) if self.classes is None else len(self.classes),))
        return self


def scale(X, *arguments, **options):
    return array_of(X) * 1.0


minmax_scale = normalize = robust_scale = scale

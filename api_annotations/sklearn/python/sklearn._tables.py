# What the parts of scikit-learn have in common: data as arrays, and how many samples and features they have.
import numpy as np
import harp_library as _harp, pandas as _pandas


def array_of(data):
    if isinstance(data, np.ndarray):
        return data
    if isinstance(data, (_pandas.DataFrame, _pandas.Series)):
        return data.values
    return np.asarray(data)


def length_of(data):
    return data.shape[0] if isinstance(data, np.ndarray) else len(data)


def check_consistent_length(*arrays):
    # How long lists are that loops fill is not always known.
    lengths = [length_of(array) for array in arrays if isinstance(array, (np.ndarray, _pandas.DataFrame, _pandas.Series))]
    for length in lengths[1:]:
        if length != lengths[0]:
            raise _pandas._failure("the inputs have different numbers of samples")


def distinct(labels):
    """How many different labels there are."""
    if isinstance(labels, _pandas.Series):
        return len(labels._distinct())
    if isinstance(labels, (list, tuple)) and _harp.is_known(labels):
        return len(set(labels))
    return _harp.free_size("classes", 1)


class Transformer:
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


class Sparse:
    """A sparse matrix."""

    def __init__(self, array):
        self._array = array
        self.shape = array.shape

    def toarray(self):
        return self._array

    todense = toarray

    def __getitem__(self, index):
        return Sparse(self._array[index])

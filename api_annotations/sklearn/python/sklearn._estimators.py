# What the models of scikit-learn have in common: they are fitted to a table, and give a number or a class for each of its rows.
import numpy as np
import harp_library as _harp, pandas as _pandas
from sklearn._tables import Sparse, array_of, length_of


def rows_of(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)


def of_number():
    return float(_harp.outside("a number of a fitted model"))


def _given(*arguments, **options):
    return _harp.outside("a part of a fitted model")


def _is_flat(y):
    """Whether there surely is one number or class for each row."""
    if y is None or isinstance(y, _pandas.Series):
        return True
    if isinstance(y, np.ndarray):
        return _harp.is_known(y.ndim) and y.ndim == 1
    return isinstance(y, (list, tuple)) and len(y) > 0 and isinstance(y[0], (int, float, str))


class BaseEstimator:
    def __init__(self, *arguments, **options):
        for name, value in options.items():
            setattr(self, name, value)

    def get_params(self, deep=True):
        return _harp.outside("settings of a model")

    def set_params(self, **params):
        return self


class Model(BaseEstimator):
    """A model of rows with numbers."""

    best_iteration = best_score = best_iteration_ = best_score_ = estimators_ = estimator_ = tree_ = loss_ = n_iter_ = inertia_ = converged_ = (
        _harp.outside("a part of a fitted model"))
    coefs_ = intercepts_ = loss_curve_ = feature_names_in_ = oob_score_ = alpha_ = C_ = n_classes_ = n_outputs_ = evals_result_ = (
        _harp.outside("a part of a fitted model"))

    def __getattr__(self, name):
        # What a model finds out has a name that ends so.
        return _harp.array(None) if name.endswith("_") else _given

    def _columns(self, X):
        if isinstance(X, (np.ndarray, _pandas.DataFrame, Sparse)):
            if isinstance(X, np.ndarray):
                _harp.judge(X.ndim == 2, "Expected 2D array: a model takes a table of samples and features")
            return X.shape[1]
        return _harp.free_size("features", 1)

    def fit(self, X, y=None, sample_weight=None, **options):
        self.n_features_in_ = self._columns(X)
        self.feature_importances_ = np.zeros(self.n_features_in_)
        if isinstance(X, np.ndarray) and isinstance(y, np.ndarray):
            _harp.judge(X.shape[0] == y.shape[0], "Found input variables with inconsistent numbers of samples")
        self._is_of_one = _is_flat(y)
        self._classes = _harp.free_size("classes", 1)
        self._fitted(X)
        return self

    def _fitted(self, X):
        pass

    def partial_fit(self, X, y=None, classes=None, sample_weight=None):
        return self.fit(X, y)

    @property
    def classes_(self):
        return _pandas._cells((self._classes,))

    def _rows(self, X):
        if isinstance(X, np.ndarray):
            _harp.judge(X.ndim == 2, "Expected 2D array: a model takes a table of samples and features")
            if X.ndim == 2:
                _harp.judge(X.shape[1] == self.n_features_in_, "the model was fitted to another number of features")
        return rows_of(X)

    def predict(self, X, **options):
        return _harp.array((self._rows(X),) if self._is_of_one else None)

    def fit_predict(self, X, y=None, **options):
        self.fit(X, y)
        return self.predict(X)

    def predict_proba(self, X):
        return _harp.array((self._rows(X), self._classes) if self._is_of_one else None)

    predict_log_proba = predict_proba

    def decision_function(self, X):
        return _harp.array(None)

    def score(self, X, y=None, sample_weight=None):
        self._rows(X)
        return of_number()

    def kneighbors(self, X=None, n_neighbors=None, return_distance=True):
        return _harp.outside("neighbours")


class Outliers(Model):
    def decision_function(self, X):
        return np.zeros(self._rows(X))

    score_samples = decision_function


class Reducer(Model):
    """What gives each row other columns, as many as it is told or finds out."""

    def _width(self):
        return self.n_components if isinstance(self.n_components, int) else _harp.free_size("columns", 1)

    def _fitted(self, X):
        self._kept = self._width()

    def transform(self, X, **options):
        return _harp.array((self._rows(X), self._kept))

    def fit_transform(self, X, y=None, **options):
        self.fit(X, y)
        return self.transform(X)

    def inverse_transform(self, X):
        return _harp.array((rows_of(X), self.n_features_in_))


class Wrapper(BaseEstimator):
    """A model that is made of others."""

    best_params_ = best_score_ = best_estimator_ = cv_results_ = best_index_ = estimators_ = estimator_ = n_features_to_select_ = (
        _harp.outside("a part of a fitted model"))
    named_estimators_ = transformers_ = named_transformers_ = calibrated_classifiers_ = output_indices_ = _harp.outside("a part of a fitted model")

    def __getattr__(self, name):
        return _harp.array(None) if name.endswith("_") else _given

    def fit(self, X, y=None, **options):
        return self

    partial_fit = fit

    def predict(self, X, **options):
        return _harp.array(None)

    predict_proba = predict_log_proba = decision_function = transform = inverse_transform = predict

    def fit_predict(self, X, y=None, **options):
        return _harp.array(None)

    fit_transform = fit_predict

    def score(self, X, y=None, sample_weight=None):
        return of_number()

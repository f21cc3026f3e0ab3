# `sklearn.model_selection`: how many samples each part has.
import math

import numpy as np
import harp_library as _harp, pandas as _pandas
from sklearn._estimators import Wrapper
from sklearn._tables import check_consistent_length, length_of


def _part(size, whole):
    if isinstance(size, float):
        return math.ceil(size * whole) if _harp.is_known(whole) and _harp.is_known(size) else None
    return size


def train_test_split(*arrays, test_size=None, train_size=None, random_state=None, shuffle=True, stratify=None):
    check_consistent_length(*arrays)
    whole = length_of(arrays[0])
    test = _part(0.25 if test_size is None and train_size is None else test_size, whole)
    if test is None and train_size is not None and not isinstance(train_size, float):
        test = whole - train_size
    if test is None:
        train, test = _harp.free_size("train", 1), _harp.free_size("test", 1)
    else:
        train = whole - test if train_size is None or isinstance(train_size, float) else train_size
    parts = []
    for array in arrays:
        parts += [_taken(array, train), _taken(array, test)]
    return parts


def _taken(array, count):
    if isinstance(array, (_pandas.DataFrame, _pandas.Series)):
        return array._with_rows(count)
    # Whatever has a shape is indexed, tensors among it.
    if hasattr(array, "shape"):
        return array[np.zeros(count, dtype=np.int64)]
    return _harp.some_of(array)


class _Folds:
    def __init__(self, n_splits=5, shuffle=False, random_state=None, **options):
        self.n_splits = n_splits

    def get_n_splits(self, *arguments, **options):
        return self.n_splits

    def _tested(self, whole, fold):
        return _harp.free_size("test", 1)

    def split(self, X, y=None, groups=None):
        whole = length_of(X)
        for fold in range(self.n_splits):
            test = self._tested(whole, fold)
            yield np.zeros(whole - test, dtype=np.int64), np.zeros(test, dtype=np.int64)


class KFold(_Folds):
    def _tested(self, whole, fold):
        if _harp.is_known(whole) and _harp.is_known(fold) and _harp.is_known(self.n_splits):
            return whole // self.n_splits + (1 if fold < whole % self.n_splits else 0)
        return _harp.free_size("test", 1)


class StratifiedKFold(KFold):
    """Every n-th sample of those that are sorted by class: the sizes are the same."""


class GroupKFold(_Folds):
    pass


class StratifiedGroupKFold(_Folds):
    pass


class RepeatedKFold(_Folds):
    pass


class _Draws:
    def __init__(self, n_splits=10, *, test_size=None, train_size=None, random_state=None):
        self.n_splits = n_splits

    def split(self, X, y=None, groups=None):
        for fold in range(self.n_splits):
            yield np.zeros(_harp.free_size("train", 1), dtype=np.int64), np.zeros(_harp.free_size("test", 1), dtype=np.int64)


class ShuffleSplit(_Draws):
    pass


class StratifiedShuffleSplit(_Draws):
    pass


class GroupShuffleSplit(_Draws):
    pass


class TimeSeriesSplit(_Draws):
    def __init__(self, n_splits=5, **options):
        self.n_splits = n_splits


class LeaveOneOut(_Draws):
    def __init__(self):
        pass

    def get_n_splits(self, X, y=None, groups=None):
        return length_of(X)

    def split(self, X, y=None, groups=None):
        whole = length_of(X)
        for fold in range(whole):
            yield np.zeros(whole - 1, dtype=np.int64), np.zeros(1, dtype=np.int64)


class LeaveOneGroupOut(_Draws):
    def __init__(self):
        self.n_splits = _harp.free_size("groups", 1)


class PredefinedSplit(LeaveOneGroupOut):
    def __init__(self, test_fold):
        self.n_splits = _harp.free_size("folds", 1)


class RepeatedStratifiedKFold(_Folds):
    pass


class GridSearchCV(Wrapper):
    def __init__(self, estimator, param_grid=None, **options):
        self.estimator = self.best_estimator_ = estimator

    def fit(self, X, y=None, **options):
        self.estimator.fit(X, y)
        return self

    def predict(self, X):
        return self.estimator.predict(X)

    def predict_proba(self, X):
        return self.estimator.predict_proba(X)


class RandomizedSearchCV(GridSearchCV):
    pass


class HalvingGridSearchCV(GridSearchCV):
    pass


class HalvingRandomSearchCV(GridSearchCV):
    pass


def _count_of(cv):
    if cv is None:
        return 5
    if isinstance(cv, int):
        return cv
    return cv.n_splits if hasattr(cv, "n_splits") else _harp.free_size("folds", 1)


def cross_val_score(estimator, X, y=None, *, groups=None, scoring=None, cv=None, n_jobs=None, verbose=0, params=None, pre_dispatch="2*n_jobs",
                    error_score=None, fit_params=None):
    return np.zeros(_count_of(cv))


def cross_validate(estimator, X, y=None, *, groups=None, scoring=None, cv=None, **options):
    return _harp.outside("scores by name")


def cross_val_predict(estimator, X, y=None, *, groups=None, cv=None, n_jobs=None, verbose=0, params=None, pre_dispatch="2*n_jobs",
                      method="predict", fit_params=None):
    return _harp.array((length_of(X),)) if method == "predict" else _harp.array(None)


def learning_curve(estimator, X, y, **options):
    return _harp.outside("scores by size")


validation_curve = permutation_test_score = learning_curve


class ParameterGrid:
    def __init__(self, param_grid):
        pass

    def __iter__(self):
        return iter(_harp.some_of([_harp.outside("settings")]))

    def __len__(self):
        return _harp.free_size("settings", 1)


class ParameterSampler(ParameterGrid):
    def __init__(self, param_distributions, n_iter, *, random_state=None):
        pass

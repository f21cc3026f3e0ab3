# `sklearn.datasets`: the small tables that come with it, and what it draws.
import numpy as np
import harp_library as _harp, pandas as _pandas


class Bunch(dict):
    def __getattr__(self, name):
        if name not in self:
            raise AttributeError(name)
        return self[name]


def _loaded(samples, features, classes, return_X_y, as_frame):
    data = np.zeros((samples, features))
    target = np.zeros(samples) if classes is None else np.zeros(samples, dtype=np.int64)
    if as_frame:
        data, target = _pandas.DataFrame(data), _pandas.Series(target)
    if return_X_y:
        return data, target
    names = np.zeros(1 if classes is None else classes)
    return Bunch(data=data, target=target, target_names=names, feature_names=["feature " + str(i) for i in range(features)], frame=data, DESCR="")


def load_iris(*, return_X_y=False, as_frame=False):
    return _loaded(150, 4, 3, return_X_y, as_frame)


def load_wine(*, return_X_y=False, as_frame=False):
    return _loaded(178, 13, 3, return_X_y, as_frame)


def load_breast_cancer(*, return_X_y=False, as_frame=False):
    return _loaded(569, 30, 2, return_X_y, as_frame)


def load_diabetes(*, return_X_y=False, as_frame=False, scaled=True):
    return _loaded(442, 10, None, return_X_y, as_frame)


def fetch_california_housing(*, data_home=None, download_if_missing=True, return_X_y=False, as_frame=False, **options):
    return _loaded(20640, 8, None, return_X_y, as_frame)


def load_digits(*, n_class=10, return_X_y=False, as_frame=False):
    digits = _loaded(1797 if n_class == 10 else _harp.free_size("samples", 1), 64, n_class, return_X_y, as_frame)
    if not return_X_y:
        digits["images"] = np.zeros((1797, 8, 8)) if n_class == 10 else np.zeros((len(digits["data"]), 8, 8))
    return digits


def make_classification(n_samples=100, n_features=20, **options):
    return np.zeros((n_samples, n_features)), np.zeros(n_samples, dtype=np.int64)


def make_regression(n_samples=100, n_features=100, *, n_informative=10, n_targets=1, coef=False, **options):
    X, y = np.zeros((n_samples, n_features)), np.zeros(n_samples if n_targets == 1 else (n_samples, n_targets))
    if coef:
        return X, y, np.zeros(n_features if n_targets == 1 else (n_features, n_targets))
    return X, y


def make_multilabel_classification(n_samples=100, n_features=20, *, n_classes=5, **options):
    return np.zeros((n_samples, n_features)), np.zeros((n_samples, n_classes), dtype=np.int64)


def make_moons(n_samples=100, **options):
    return np.zeros((n_samples, 2)), np.zeros(n_samples, dtype=np.int64)


make_circles = make_moons


def make_blobs(n_samples=100, n_features=2, *, centers=None, return_centers=False, **options):
    X, y = np.zeros((n_samples, n_features)), np.zeros(n_samples, dtype=np.int64)
    if return_centers:
        return X, y, np.zeros((3 if centers is None else centers if isinstance(centers, int) else len(centers), n_features))
    return X, y


def make_swiss_roll(n_samples=100, **options):
    return np.zeros((n_samples, 3)), np.zeros(n_samples)


make_s_curve = make_swiss_roll


def fetch_openml(name=None, *, return_X_y=False, **options):
    data, target = _harp.outside("a data set"), _harp.outside("a data set")
    return (data, target) if return_X_y else Bunch(data=data, target=target, frame=_harp.outside("a data set"), DESCR="")


def fetch_20newsgroups(*, return_X_y=False, **options):
    data, target = _harp.some_of([str(_harp.outside("a text"))]), np.zeros(_harp.free_size("texts", 1), dtype=np.int64)
    return (data, target) if return_X_y else Bunch(data=data, target=target, target_names=_harp.outside("names"), filenames=_harp.outside("names"), DESCR="")


def fetch_olivetti_faces(*, return_X_y=False, **options):
    data, target = np.zeros((400, 4096), dtype=np.float32), np.zeros(400, dtype=np.int64)
    return (data, target) if return_X_y else Bunch(data=data, images=np.zeros((400, 64, 64), dtype=np.float32), target=target, DESCR="")


def make_gaussian_quantiles(*, mean=None, cov=1.0, n_samples=100, n_features=2, n_classes=3, shuffle=True, random_state=None):
    return np.zeros((n_samples, n_features)), np.zeros(n_samples, dtype=np.int64)


def make_friedman1(n_samples=100, n_features=10, **options):
    return np.zeros((n_samples, n_features)), np.zeros(n_samples)


def load_linnerud(*, return_X_y=False, as_frame=False):
    data, target = np.zeros((20, 3)), np.zeros((20, 3))
    return (data, target) if return_X_y else Bunch(data=data, target=target, DESCR="")


def _from_file(*arguments, **options):
    return _harp.outside("a data set")


load_svmlight_file = load_svmlight_files = load_files = fetch_lfw_people = fetch_lfw_pairs = fetch_covtype = fetch_kddcup99 = fetch_rcv1 = _from_file
load_sample_image = load_sample_images = fetch_20newsgroups_vectorized = _from_file

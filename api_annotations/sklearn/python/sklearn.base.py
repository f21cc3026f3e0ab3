# `sklearn.base`: what models are made from.
from sklearn._estimators import BaseEstimator


class ClassifierMixin:
    pass


class RegressorMixin:
    pass


class ClusterMixin:
    def fit_predict(self, X, y=None, **options):
        self.fit(X)
        return self.labels_


class TransformerMixin:
    def fit_transform(self, X, y=None, **options):
        return self.fit(X, y).transform(X) if y is not None else self.fit(X).transform(X)


class OutlierMixin:
    pass


class MetaEstimatorMixin:
    pass


class OneToOneFeatureMixin:
    pass


def clone(estimator, *, safe=True):
    return estimator


def is_classifier(estimator):
    return hasattr(estimator, "predict_proba")

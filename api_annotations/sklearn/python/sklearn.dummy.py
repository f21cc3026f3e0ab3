# `sklearn.dummy`: models that look at nothing.
from sklearn._estimators import Model


class DummyClassifier(Model):
    pass


class DummyRegressor(Model):
    pass

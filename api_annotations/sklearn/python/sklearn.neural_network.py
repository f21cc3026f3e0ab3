# `sklearn.neural_network`: networks of a few layers.
from sklearn._estimators import Model, Reducer


class MLPClassifier(Model):
    pass


class MLPRegressor(Model):
    pass


class BernoulliRBM(Reducer):
    pass

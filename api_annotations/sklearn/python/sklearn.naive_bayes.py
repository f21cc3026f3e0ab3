# `sklearn.naive_bayes`: models that take features for independent.
from sklearn._estimators import Model


class BernoulliNB(Model):
    pass


class CategoricalNB(Model):
    pass


class ComplementNB(Model):
    pass


class GaussianNB(Model):
    pass


class MultinomialNB(Model):
    pass

# `sklearn.linear_model`: models that add up their features.
from sklearn._estimators import Model, Outliers, Wrapper


class ARDRegression(Model):
    pass


class BayesianRidge(Model):
    pass


class ElasticNet(Model):
    pass


class ElasticNetCV(Model):
    pass


class HuberRegressor(Model):
    pass


class Lars(Model):
    pass


class LarsCV(Model):
    pass


class Lasso(Model):
    pass


class LassoCV(Model):
    pass


class LassoLars(Model):
    pass


class LassoLarsCV(Model):
    pass


class LassoLarsIC(Model):
    pass


class LinearRegression(Model):
    pass


class LogisticRegression(Model):
    pass


class LogisticRegressionCV(Model):
    pass


class MultiTaskElasticNet(Model):
    pass


class MultiTaskLasso(Model):
    pass


class OrthogonalMatchingPursuit(Model):
    pass


class PassiveAggressiveClassifier(Model):
    pass


class PassiveAggressiveRegressor(Model):
    pass


class Perceptron(Model):
    pass


class QuantileRegressor(Model):
    pass


class Ridge(Model):
    pass


class RidgeCV(Model):
    pass


class RidgeClassifier(Model):
    pass


class RidgeClassifierCV(Model):
    pass


class SGDClassifier(Model):
    pass


class SGDRegressor(Model):
    pass


class TheilSenRegressor(Model):
    pass


class GammaRegressor(Model):
    pass


class PoissonRegressor(Model):
    pass


class TweedieRegressor(Model):
    pass


class SGDOneClassSVM(Outliers):
    pass


class RANSACRegressor(Wrapper):
    pass

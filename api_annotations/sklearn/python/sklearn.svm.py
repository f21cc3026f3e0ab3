# `sklearn.svm`: support vector machines.
from sklearn._estimators import Model, Outliers


class LinearSVC(Model):
    pass


class LinearSVR(Model):
    pass


class NuSVC(Model):
    pass


class NuSVR(Model):
    pass


class SVC(Model):
    pass


class SVR(Model):
    pass


class OneClassSVM(Outliers):
    pass

# `sklearn.kernel_ridge`: ridge regression with kernels.
from sklearn._estimators import Model


class KernelRidge(Model):
    pass

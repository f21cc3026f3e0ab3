# `sklearn.gaussian_process.kernels`: kernels of processes.
from sklearn._estimators import BaseEstimator


class Kernel(BaseEstimator):
    pass


class _Kernel(Kernel):
    def __add__(self, other):
        return self

    __mul__ = __radd__ = __rmul__ = __pow__ = __add__


RBF = Matern = ConstantKernel = WhiteKernel = RationalQuadratic = ExpSineSquared = DotProduct = Sum = Product = CompoundKernel = _Kernel

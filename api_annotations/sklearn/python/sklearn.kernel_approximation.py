# `sklearn.kernel_approximation`: features that stand for kernels.
from sklearn._estimators import Wrapper


class AdditiveChi2Sampler(Wrapper):
    pass


class Nystroem(Wrapper):
    pass


class PolynomialCountSketch(Wrapper):
    pass


class RBFSampler(Wrapper):
    pass


class SkewedChi2Sampler(Wrapper):
    pass

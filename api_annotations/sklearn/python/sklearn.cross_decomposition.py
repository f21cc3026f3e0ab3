# `sklearn.cross_decomposition`: what two tables have in common.
from sklearn._estimators import Wrapper


class CCA(Wrapper):
    pass


class PLSCanonical(Wrapper):
    pass


class PLSRegression(Wrapper):
    pass


class PLSSVD(Wrapper):
    pass

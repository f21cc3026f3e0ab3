# `sklearn.random_projection`: columns by chance.
from sklearn._estimators import Wrapper


class GaussianRandomProjection(Wrapper):
    pass


class SparseRandomProjection(Wrapper):
    pass

# `sklearn.covariance`: covariances.
from sklearn._estimators import Outliers, Wrapper


class EllipticEnvelope(Outliers):
    pass


class EmpiricalCovariance(Wrapper):
    pass


class GraphicalLasso(Wrapper):
    pass


class GraphicalLassoCV(Wrapper):
    pass


class LedoitWolf(Wrapper):
    pass


class MinCovDet(Wrapper):
    pass


class OAS(Wrapper):
    pass


class ShrunkCovariance(Wrapper):
    pass

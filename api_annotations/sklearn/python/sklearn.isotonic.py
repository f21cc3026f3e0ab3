# `sklearn.isotonic`: regression that only rises.
from sklearn._estimators import Wrapper


class IsotonicRegression(Wrapper):
    pass

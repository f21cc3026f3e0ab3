# `sklearn.multiclass`: many classes by models of two.
from sklearn._estimators import Wrapper


class OneVsOneClassifier(Wrapper):
    pass


class OneVsRestClassifier(Wrapper):
    pass


class OutputCodeClassifier(Wrapper):
    pass

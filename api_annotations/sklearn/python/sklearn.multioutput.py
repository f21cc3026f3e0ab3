# `sklearn.multioutput`: several outputs by models of one.
from sklearn._estimators import Wrapper


class ClassifierChain(Wrapper):
    pass


class MultiOutputClassifier(Wrapper):
    pass


class MultiOutputRegressor(Wrapper):
    pass


class RegressorChain(Wrapper):
    pass

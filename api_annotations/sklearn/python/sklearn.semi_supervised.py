# `sklearn.semi_supervised`: models of which few samples have labels.
from sklearn._estimators import Model, Wrapper


class LabelPropagation(Model):
    pass


class LabelSpreading(Model):
    pass


class SelfTrainingClassifier(Wrapper):
    pass

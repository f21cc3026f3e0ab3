# `sklearn.ensemble`: models made of many trees, or of other models.
from sklearn._estimators import Model, Outliers, Wrapper


class AdaBoostClassifier(Model):
    pass


class AdaBoostRegressor(Model):
    pass


class BaggingClassifier(Model):
    pass


class BaggingRegressor(Model):
    pass


class ExtraTreesClassifier(Model):
    pass


class ExtraTreesRegressor(Model):
    pass


class GradientBoostingClassifier(Model):
    pass


class GradientBoostingRegressor(Model):
    pass


class RandomForestClassifier(Model):
    pass


class RandomForestRegressor(Model):
    pass


class HistGradientBoostingClassifier(Model):
    pass


class HistGradientBoostingRegressor(Model):
    pass


class IsolationForest(Outliers):
    pass


class StackingClassifier(Wrapper):
    pass


class StackingRegressor(Wrapper):
    pass


class VotingClassifier(Wrapper):
    pass


class VotingRegressor(Wrapper):
    pass


class RandomTreesEmbedding(Wrapper):
    pass

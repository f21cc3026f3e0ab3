# `catboost`: boosted trees.
from sklearn._estimators import Model
from xgboost import DMatrix as _DMatrix, _known

Pool = _DMatrix


class CatBoostClassifier(Model):
    pass


class CatBoostRegressor(Model):
    pass


class CatBoost(Model):
    pass


cv = train = _known

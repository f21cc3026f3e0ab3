# `lightgbm`: boosted trees.
from sklearn._estimators import Model
from xgboost import Booster as _Booster, DMatrix as _DMatrix, _known, train as _train

Booster = _Booster
Dataset = _DMatrix
train = _train


class LGBMClassifier(Model):
    pass


class LGBMRegressor(Model):
    pass


class LGBMRanker(Model):
    pass


cv = early_stopping = log_evaluation = record_evaluation = reset_parameter = plot_importance = plot_metric = plot_tree = create_tree_digraph = _known

# `lightgbm`: boosted trees.
from sklearn._estimators import Model
from xgboost import Booster, DMatrix as Dataset, _known, train


class LGBMClassifier(Model):
    pass


class LGBMRegressor(Model):
    pass


class LGBMRanker(Model):
    pass


cv = early_stopping = log_evaluation = record_evaluation = reset_parameter = plot_importance = plot_metric = plot_tree = create_tree_digraph = _known

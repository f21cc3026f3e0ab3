# `xgboost`: boosted trees.
import harp_library as _harp
from sklearn._estimators import Model


class XGBClassifier(Model):
    pass


class XGBRegressor(Model):
    pass


class XGBRanker(Model):
    pass


class XGBRFClassifier(Model):
    pass


class XGBRFRegressor(Model):
    pass


def _known(*arguments, **options):
    return _harp.outside("what trees say")


class DMatrix:
    def __init__(self, data=None, label=None, *arguments, **options):
        pass

    def __getattr__(self, name):
        return _known


QuantileDMatrix = DMatrix


class Booster:
    """Trees that are trained: what they give may have a column for each class."""

    def __init__(self, *arguments, **options):
        pass

    def predict(self, data, *arguments, **options):
        return _harp.array(None)

    def __getattr__(self, name):
        return _known


def train(*arguments, **options):
    return Booster()


cv = plot_importance = plot_tree = to_graphviz = _known


class _Parts:
    def __getattr__(self, name):
        return _known


callback = _Parts()

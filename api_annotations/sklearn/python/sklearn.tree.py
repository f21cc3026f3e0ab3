# `sklearn.tree`: trees of decisions.
import harp_library as _harp
from sklearn._estimators import Model


class DecisionTreeClassifier(Model):
    pass


class DecisionTreeRegressor(Model):
    pass


class ExtraTreeClassifier(Model):
    pass


class ExtraTreeRegressor(Model):
    pass


def export_text(decision_tree, **options):
    return str(_harp.outside("a tree"))


def export_graphviz(decision_tree, out_file=None, **options):
    return _harp.outside("a tree")


plot_tree = export_graphviz

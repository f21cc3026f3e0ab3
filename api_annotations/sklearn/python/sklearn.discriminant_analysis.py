# `sklearn.discriminant_analysis`: directions that part classes.
import harp_library as _harp
from sklearn._estimators import Model, Reducer


class LinearDiscriminantAnalysis(Reducer):
    def _width(self):
        return _harp.free_size("columns", 1)


class QuadraticDiscriminantAnalysis(Model):
    pass

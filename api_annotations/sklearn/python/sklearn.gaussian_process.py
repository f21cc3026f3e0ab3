# `sklearn.gaussian_process`: processes that say how sure they are.
import harp_library as _harp
from sklearn._estimators import Model


class GaussianProcessClassifier(Model):
    pass


class GaussianProcessRegressor(Model):
    def predict(self, X, return_std=False, return_cov=False):
        return _harp.outside("what a process predicts") if return_std or return_cov else Model.predict(self, X)

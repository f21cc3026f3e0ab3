# `sklearn.compose`: columns that are treated apart.
import harp_library as _harp
from sklearn._estimators import Wrapper


class TransformedTargetRegressor(Wrapper):
    pass


class make_column_selector(Wrapper):
    pass


class ColumnTransformer(Wrapper):
    def transform(self, X, **options):
        # Whether it is sparse the data tells.
        return _harp.array(None)

    def fit_transform(self, X, y=None, **options):
        return _harp.array(None)


def make_column_transformer(*transformers, **options):
    return ColumnTransformer(transformers)

# `sklearn.utils.validation`: checks.
from sklearn.utils import check_array, check_consistent_length, check_random_state, check_X_y, column_or_1d


def check_is_fitted(estimator, *arguments, **options):
    return None

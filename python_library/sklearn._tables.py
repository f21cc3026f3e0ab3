# What the parts of scikit-learn have in common: data as arrays, and how many samples and features they have.
import numpy as np
import pandas as _pandas


def array_of(data):
    if isinstance(data, np.ndarray):
        return data
    if isinstance(data, (_pandas.DataFrame, _pandas.Series)):
        return data.values
    return np.asarray(data)


def length_of(data):
    return data.shape[0] if isinstance(data, np.ndarray) else len(data)


def check_consistent_length(*arrays):
    lengths = [length_of(array) for array in arrays if array is not None]
    for length in lengths[1:]:
        if length != lengths[0]:
            raise ValueError("the inputs have different numbers of samples")


def distinct(labels):
    """How many different labels there are."""
    if isinstance(labels, _pandas.Series):
        return len(labels._distinct())
    if isinstance(labels, (list, tuple)) and _pandas._is_known(labels):
        return len(set(labels))
    return _pandas._count("classes", 1)

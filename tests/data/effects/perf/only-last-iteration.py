"""All of 10 splits made and copied, of which the last is used, against one."""
import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedShuffleSplit

CASES = {"5,000 rows": (5000,)}


def setup(rows):
    return pd.DataFrame({"a": np.random.rand(rows), "label": np.random.randint(0, 5, rows)})


def last(table, splits):
    for train_index, test_index in splits.split(table, table["label"]):
        train, test = table.iloc[train_index].copy(), table.iloc[test_index].copy()
    return len(train), len(test)


def before(table):
    return last(table, StratifiedShuffleSplit(test_size=0.2))


def after(table):
    return last(table, StratifiedShuffleSplit(n_splits=1, test_size=0.2))

"""A table that a loop makes longer, against one made of a list."""
import pandas as pd

CASES = {"300 rows": (300,), "20 rows": (20,)}


def setup(n):
    return n


def before(n):
    table = pd.DataFrame({"a": [0]})
    for i in range(1, n):
        table = pd.concat([table, pd.DataFrame({"a": [i]})])
    return table["a"].sum()


def after(n):
    parts = []
    for i in range(n):
        parts.append(pd.DataFrame({"a": [i]}))
    return pd.concat(parts)["a"].sum()

"""`iterrows` for plain arithmetic, against the columns."""
import numpy as np
import pandas as pd

CASES = {"2,000 rows": (2000,), "20 rows": (20,)}


def setup(n):
    return pd.DataFrame({"price": np.random.rand(n), "count": np.random.randint(0, 10, n)})


def before(table):
    total = 0.0
    for i, row in table.iterrows():
        total += row["price"] * row["count"]
    return total


def after(table):
    return (table["price"] * table["count"]).sum()

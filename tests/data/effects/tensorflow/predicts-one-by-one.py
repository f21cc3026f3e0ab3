"""`predict` of 20 rows one by one, against `predict` of all."""
import numpy as np
from tensorflow import keras

CASES = {"20 rows of 8": (20, 8)}


def setup(rows, columns):
    model = keras.Sequential([keras.layers.Dense(8)])
    return model, np.random.rand(rows, columns)


def before(model, rows):
    return [model.predict(row[None], verbose=0) for row in rows]


def after(model, rows):
    return model.predict(rows, verbose=0)

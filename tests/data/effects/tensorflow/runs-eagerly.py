"""`fit` with `run_eagerly=True`, against without: one epoch after the first."""
import numpy as np
from tensorflow import keras

CASES = {"MLP 32-64-8, 40 batches of 32": (32, 64)}


def made(inputs, hidden, eagerly):
    model = keras.Sequential([keras.layers.Dense(hidden, activation="relu"), keras.layers.Dense(8)])
    model.compile("adam", "mse", run_eagerly=eagerly)
    x, y = np.ones((1280, inputs), "float32"), np.ones((1280, 8), "float32")
    model.fit(x, y, verbose=0)
    return model, x, y


def setup(inputs, hidden):
    return made(inputs, hidden, True), made(inputs, hidden, False)


def before(eager, traced):
    model, x, y = eager
    model.fit(x, y, verbose=0)


def after(eager, traced):
    model, x, y = traced
    model.fit(x, y, verbose=0)

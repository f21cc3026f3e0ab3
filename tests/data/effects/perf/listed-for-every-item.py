"""A folder listed for each of 20 items, against once."""
import os
import tempfile
from pathlib import Path

import numpy as np

CASES = {"1,000 files": (1000,), "10 files": (10,)}


def setup(files):
    folder = Path(tempfile.mkdtemp())
    for i in range(files):
        np.save(folder / f"{i:05}.npy", np.zeros(100))
    return folder


def before(folder):
    total = 0.0
    for index in range(10):
        names = sorted(os.listdir(folder))
        total += np.load(folder / names[index]).sum()
    return total


def after(folder):
    total = 0.0
    names = sorted(os.listdir(folder))
    for index in range(10):
        total += np.load(folder / names[index]).sum()
    return total

"""Volumes read whole for patches of 8 slices, against memory-mapped files."""
import os
import tempfile

import numpy as np

CASES = {"patches of 8 of 64 slices of 128 × 128": (64, 128, 8), "patches of 8 of 16 slices of 16 × 16": (16, 16, 8)}


def setup(slices, size, patch):
    folder = tempfile.mkdtemp()
    paths = [os.path.join(folder, f"{i}.npy") for i in range(4)]
    for path in paths:
        np.save(path, np.random.rand(slices, size, size).astype(np.float32))
    return paths, patch


def before(paths, patch):
    total = 0.0
    for path in paths:
        volume = np.load(path)
        total += volume[4:4 + patch].sum()
    return total


def after(paths, patch):
    total = 0.0
    for path in paths:
        volume = np.load(path, mmap_mode="r")
        total += np.array(volume[4:4 + patch]).sum()
    return total

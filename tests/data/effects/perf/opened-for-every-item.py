"""A file read for each of 32 items, against once."""
import os
import tempfile

import numpy as np
import torch

CASES = {"10,000 rows of 64": (10000, 64), "100 rows of 8": (100, 8)}


class Anew(torch.utils.data.Dataset):
    def __init__(self, path):
        self.path = path

    def __getitem__(self, index):
        rows = np.load(self.path)
        return torch.from_numpy(rows[index])


class Kept(torch.utils.data.Dataset):
    def __init__(self, path):
        self.rows = np.load(path)

    def __getitem__(self, index):
        return torch.from_numpy(self.rows[index])


def setup(rows, columns):
    path = os.path.join(tempfile.mkdtemp(), "rows.npy")
    np.save(path, np.random.rand(rows, columns))
    return path


def before(path):
    data = Anew(path)
    return sum(data[i].sum() for i in range(32))


def after(path):
    data = Kept(path)
    return sum(data[i].sum() for i in range(32))

"""`torch.tensor(rows)` of a list of arrays, against `torch.tensor(np.stack(rows))`."""
import numpy as np
import torch

CASES = {"256 rows of 64": (256, 64), "4 rows of 4": (4, 4), "2 pictures of 224 × 224 × 3": (2, 150528)}


def setup(rows, columns):
    return [np.random.rand(columns) for _ in range(rows)]


def before(rows):
    return torch.tensor(rows)


def after(rows):
    return torch.tensor(np.stack(rows))

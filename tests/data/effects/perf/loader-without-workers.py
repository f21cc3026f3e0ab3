"""Arrays of files that the process which trains reads itself, against 2 workers: time of this process alone."""
import os
import tempfile

import numpy as np
import torch
from torch.utils.data import DataLoader, Dataset

CASES = {"64 compressed files of 200 kB": (64, 50000), "64 files of 8 kB": (64, 1000)}


class Clips(Dataset):
    def __init__(self, paths):
        self.paths = paths

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, i):
        return torch.from_numpy(np.load(self.paths[i])["clip"]).float()


def setup(files, numbers):
    folder = tempfile.mkdtemp()
    paths = [os.path.join(folder, f"{i}.npz") for i in range(files)]
    for path in paths:
        np.savez_compressed(path, clip=np.random.randint(0, 255, numbers).astype(np.float32))
    return Clips(paths)


def before(data):
    for x in DataLoader(data, batch_size=32):
        pass


def after(data):
    for x in DataLoader(data, batch_size=32, num_workers=2):
        pass

"""Files that are read again and again."""
import numpy as np
from torch.utils.data import Dataset

np.save("mean.npy", np.arange(128.0))


class Rows(Dataset):
    def __init__(self, path):
        self.path = path

    def __len__(self):
        return 10

    def __getitem__(self, index):
        rows = np.load(self.path)
        return rows[index] * 2


total = 0.0
for i in range(50):
    mean = np.load("mean.npy")
    total += ((np.ones(128) * i - mean) ** 2).sum()
data = Rows("mean.npy")
items = [float(data[k]) for k in range(10)]

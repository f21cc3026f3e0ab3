"""Images of noise with labels."""
import torch
from torch.utils.data import Dataset


class SyntheticImages(Dataset):
    def __init__(self, n, size, classes, channels=3):  #! channels=3 => channels=1
        g = torch.Generator().manual_seed(0)
        self.images = torch.rand(n, channels, size, size, generator=g)
        self.labels = torch.randint(0, classes, (n,), generator=g)  #! (n,), generator => (n, 1), generator

    def __len__(self):
        return self.images.shape[0]

    def __getitem__(self, item):
        return self.images[item], self.labels[item]

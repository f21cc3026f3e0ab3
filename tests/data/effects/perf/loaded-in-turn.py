"""Pictures that the process which trains decodes itself, against 2 workers: time of this process alone."""
import os
import tempfile

import numpy as np
import PIL.Image
import torch
from torch.utils.data import DataLoader, Dataset

CASES = {"64 JPEG files of 500 × 375": (64, 500, 375)}


class Images(Dataset):
    def __init__(self, folder):
        self.folder, self.names = folder, sorted(os.listdir(folder))

    def __len__(self):
        return len(self.names)

    def __getitem__(self, index):
        image = PIL.Image.open(os.path.join(self.folder, self.names[index])).convert("RGB")
        return torch.from_numpy(np.array(image)).permute(2, 0, 1)


def setup(files, width, height):
    folder = tempfile.mkdtemp()
    for i in range(files):
        PIL.Image.fromarray(np.random.randint(0, 255, (height, width, 3)).astype(np.uint8)).save(os.path.join(folder, f"{i}.jpg"))
    return Images(folder)


def before(data):
    for x in DataLoader(data, batch_size=32):
        pass


def after(data):
    for x in DataLoader(data, batch_size=32, num_workers=2):
        pass

"""Volumes in an archive, patches cut from them, predictions put together again."""
import itertools
import json
import os
import tempfile
from dataclasses import dataclass, field
from typing import Tuple

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


@dataclass
class PatchConfig:
    size: Tuple[int, int, int] = (8, 16, 16)
    step: Tuple[int, int, int] = (8, 8, 16)


@dataclass
class Config:
    patch: PatchConfig = field(default_factory=PatchConfig)
    channels: int = 2
    classes: int = 3
    batch: int = 5

    def save(self, path):
        with open(path, "w") as f:
            json.dump({"size": self.patch.size, "classes": self.classes}, f)


def make_archive(path, shape=(16, 32, 32)):
    rng = np.random.default_rng(3)
    np.savez_compressed(path, image=rng.random((2, *shape), dtype=np.float32), label=rng.integers(0, 3, shape))


class Patches(Dataset):
    def __init__(self, path, cfg):
        with np.load(path) as data:
            self.image = data["image"]
            self.label = data["label"]
        spans = [range(0, full - size + 1, step) for full, size, step in zip(self.label.shape, cfg.patch.size, cfg.patch.step)]
        self.corners = list(itertools.product(*spans))
        self.size = cfg.patch.size

    def __len__(self):
        return len(self.corners)

    def slices(self, index):
        return tuple(slice(c, c + s) for c, s in zip(self.corners[index], self.size))

    def __getitem__(self, index):
        where = self.slices(index)
        image = self.image[(slice(None), *where)]  #! (slice(None), *where) => where
        return torch.from_numpy(image.copy()), torch.as_tensor(self.label[where]), index


class VNet(nn.Module):
    def __init__(self, cin, classes, width=6):
        super().__init__()
        self.down = nn.Sequential(nn.Conv3d(cin, width, 3, padding=1), nn.InstanceNorm3d(width), nn.LeakyReLU(), nn.MaxPool3d(2))
        self.mid = nn.Conv3d(width, 2 * width, 3, padding=1)
        self.up = nn.ConvTranspose3d(2 * width, width, 2, stride=2)  #! 2, stride=2 => 3, stride=2
        self.out = nn.Conv3d(width + cin, classes, 1)  #! width + cin => width

    def forward(self, x):
        y = self.up(torch.relu(self.mid(self.down(x))))
        return self.out(torch.cat([x, y], dim=1))


def dice(logits, target):
    onehot = nn.functional.one_hot(target, logits.shape[1]).permute(0, 4, 1, 2, 3)  #! permute(0, 4, 1, 2, 3) => permute(0, 1, 2, 3, 4)
    probs = logits.softmax(1)
    inter = (probs * onehot).sum(dim=(2, 3, 4))
    return 1 - (2 * inter / (probs.sum((2, 3, 4)) + onehot.sum((2, 3, 4)))).mean()


def main():
    cfg = Config()
    path = os.path.join(tempfile.mkdtemp(), "case01.npz")
    make_archive(path)
    data = Patches(path, cfg)
    net = VNet(cfg.channels, cfg.classes)  #! cfg.channels => cfg.classes
    opt = torch.optim.Adam(net.parameters())
    for image, label, _ in DataLoader(data, batch_size=cfg.batch, shuffle=True):
        reveal_type(image)
        loss = dice(net(image), label) + nn.functional.cross_entropy(net(image), label)
        opt.zero_grad()
        loss.backward()
        opt.step()
    total = np.zeros((cfg.classes, *data.label.shape), dtype=np.float32)
    hits = np.zeros(data.label.shape)
    with torch.no_grad():
        for image, _, index in DataLoader(data, batch_size=2):
            for one, i in zip(net(image).softmax(1).numpy(), index.tolist()):
                total[(slice(None), *data.slices(i))] += one  #! += one => += one[0:2]
                hits[data.slices(i)] += 1
    mean = total / hits
    reveal_type(mean)
    confusion = np.bincount(3 * data.label.ravel() + mean.argmax(0).ravel(), minlength=9).reshape(3, 3)  #! mean.argmax(0) => mean.argmax(1)
    print(confusion.diagonal() / confusion.sum(1), mean.reshape(3, -1).mean(1) @ np.ones(3))  #! np.ones(3) => np.ones(4)
    cfg.save(os.path.join(os.path.dirname(path), "config.json"))


if __name__ == "__main__":
    main()

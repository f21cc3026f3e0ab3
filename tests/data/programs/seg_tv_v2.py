"""Segmentation with torchvision's second transforms; mean intersection over union from one confusion matrix."""
import argparse

import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image
from torch import nn
from torch.utils.data import DataLoader, Dataset
from torchvision import tv_tensors
from torchvision.transforms import v2


def build_transforms(train, size):
    steps = [v2.ToImage()]
    if train:
        steps.append(v2.RandomResizedCrop(size, antialias=True))
        steps.append(v2.RandomHorizontalFlip(p=0.5))
    else:
        steps.append(v2.Resize((size, size)))  #! v2.Resize((size, size)) => v2.Resize(size)
    steps += [v2.ToDtype({tv_tensors.Image: torch.float32, tv_tensors.Mask: torch.int64, "others": None}, scale=True),
              v2.Normalize(mean=[0.5] * 3, std=[0.5] * 3)]  #! [0.5] * 3, std => [0.5] * 4, std
    return v2.Compose(steps)


class Shapes(Dataset):
    def __init__(self, n, classes, transforms=None):
        self.rng = np.random.default_rng(n)
        self.n, self.classes, self.transforms = n, classes, transforms

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        array = self.rng.integers(0, 256, (60, 90, 3), dtype=np.uint8)
        labels = self.rng.integers(0, self.classes, (60, 90), dtype=np.uint8)
        image, mask = Image.fromarray(array), tv_tensors.Mask(torch.from_numpy(labels))
        if self.transforms is not None:
            image, mask = self.transforms(image, mask)
        return image, mask


class MiniUNet(nn.Module):
    def __init__(self, in_channels, classes, width=8):
        super().__init__()
        def double(a, b):
            return nn.Sequential(nn.Conv2d(a, b, 3, padding=1), nn.BatchNorm2d(b), nn.ReLU(), nn.Conv2d(b, b, 3, padding=1), nn.ReLU())
        self.enc1, self.enc2 = double(in_channels, width), double(width, 2 * width)
        self.mid = double(2 * width, 4 * width)
        self.up2 = nn.ConvTranspose2d(4 * width, 2 * width, 2, stride=2)
        self.dec2 = double(4 * width, 2 * width)  #! double(4 * width => double(2 * width
        self.up1 = nn.ConvTranspose2d(2 * width, width, 2, stride=2)  #! 2, stride=2 => 3, stride=2
        self.dec1 = double(2 * width, width)
        self.out = nn.Conv2d(width, classes, 1)

    def forward(self, x):
        a = self.enc1(x)
        b = self.enc2(F.max_pool2d(a, 2))
        c = self.mid(F.max_pool2d(b, 2))
        b = self.dec2(torch.cat([self.up2(c), b], 1))
        a = self.dec1(torch.cat([self.up1(b), a], 1))
        return self.out(a)


class ConfusionMatrix:
    def __init__(self, n):
        self.n = n
        self.mat = torch.zeros(n, n, dtype=torch.int64)

    def update(self, truth, guess):
        k = (truth >= 0) & (truth < self.n)
        index = self.n * truth[k] + guess[k]
        self.mat += torch.bincount(index, minlength=self.n ** 2).reshape(self.n, self.n)  #! .reshape(self.n, self.n) => .reshape(self.n, self.n + 1)

    def miou(self):
        h = self.mat.float()
        return torch.diag(h) / (h.sum(1) + h.sum(0) - torch.diag(h)).clamp(min=1)


def main(args):
    train = Shapes(8, args.classes, build_transforms(True, args.size))
    val = Shapes(5, args.classes, build_transforms(False, args.size))
    model = MiniUNet(3, args.classes)
    opt = torch.optim.SGD(model.parameters(), 0.01)
    for images, masks in DataLoader(train, 4, shuffle=True):
        reveal_type(images)
        reveal_type(masks)
        logits = model(images)
        loss = F.cross_entropy(logits, masks)  #! masks) => masks.unsqueeze(1))
        opt.zero_grad()
        loss.backward()
        opt.step()
    cm = ConfusionMatrix(args.classes)
    model.eval()
    with torch.inference_mode():
        for images, masks in DataLoader(val, 2):
            cm.update(masks.flatten(), model(images).argmax(1).flatten())  #! .argmax(1).flatten() => .argmax(1)
    iou = cm.miou()
    reveal_type(iou)
    print({f"class{i}": round(v, 3) for i, v in enumerate(iou.tolist())})


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--classes", default=5, type=int)
    parser.add_argument("--size", default=32, type=int)
    main(parser.parse_args())

"""Segmentation from PIL images: paired augmentation, ASPP head on a small backbone, Dice loss and a confusion matrix."""
import os
import random
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision.transforms.functional as TF
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision.transforms import ColorJitter, InterpolationMode

CLASSES = ("background", "road", "car", "person")


def make_folder(n=6):
    root = Path(tempfile.mkdtemp())
    (root / "images").mkdir()
    (root / "masks").mkdir()
    rng = np.random.default_rng(3)
    for i in range(n):
        w, h = 80 + 4 * i, 64 + 8 * i
        Image.fromarray(rng.integers(0, 255, (h, w, 3), dtype=np.uint8)).save(root / "images" / f"{i:03d}.png")
        Image.fromarray(rng.integers(0, len(CLASSES), (h, w), dtype=np.uint8)).save(root / "masks" / f"{i:03d}.png")
    return root


class Scenes(Dataset):
    def __init__(self, root, size=64, train=True):
        self.root, self.size, self.train = Path(root), size, train
        self.names = sorted(os.listdir(self.root / "images"))
        self.jitter = ColorJitter(0.2, 0.2, 0.2)

    def __len__(self):
        return len(self.names)

    def augment(self, image, mask):
        if random.random() > 0.5:
            image, mask = TF.hflip(image), TF.hflip(mask)
        angle = random.uniform(-10, 10)
        return self.jitter(TF.rotate(image, angle)), TF.rotate(mask, angle)

    def __getitem__(self, idx):
        name = self.names[idx]
        image = Image.open(self.root / "images" / name).convert("RGB")  #! convert("RGB") => convert("L")
        mask = Image.open(self.root / "masks" / name)
        image = TF.resize(image, [self.size, self.size])
        mask = TF.resize(mask, [self.size, self.size], interpolation=InterpolationMode.NEAREST)
        if self.train:
            image, mask = self.augment(image, mask)
        x = TF.normalize(TF.to_tensor(image), mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])
        y = torch.as_tensor(np.array(mask), dtype=torch.int64)
        return x, y


class ConvBNReLU(nn.Sequential):
    def __init__(self, i, o, k=3, s=1, d=1):
        super().__init__(nn.Conv2d(i, o, k, s, padding=d * (k // 2), dilation=d, bias=False), nn.BatchNorm2d(o), nn.ReLU(True))


class ASPPPooling(nn.Sequential):
    def __init__(self, i, o):
        super().__init__(nn.AdaptiveAvgPool2d(1), nn.Conv2d(i, o, 1, bias=False), nn.ReLU())

    def forward(self, x):
        size = x.shape[-2:]
        for mod in self:
            x = mod(x)
        return F.interpolate(x, size=size, mode="bilinear", align_corners=False)


class ASPP(nn.Module):
    def __init__(self, i, rates, o=24):
        super().__init__()
        modules = [ConvBNReLU(i, o, 1)]
        for rate in tuple(rates):
            modules.append(ConvBNReLU(i, o, 3, d=rate))
        modules.append(ASPPPooling(i, o))
        self.convs = nn.ModuleList(modules)
        self.project = nn.Sequential(ConvBNReLU(len(self.convs) * o, o, 1), nn.Dropout(0.1))  #! len(self.convs) * o => len(rates) * o

    def forward(self, x):
        return self.project(torch.cat([conv(x) for conv in self.convs], dim=1))


class DeepLab(nn.Module):
    def __init__(self, n_classes, widths=(16, 32, 48)):
        super().__init__()
        chans = (3,) + tuple(widths)
        self.stages = nn.ModuleList(ConvBNReLU(a, b, s=2) for a, b in zip(chans, chans[1:]))
        self.aspp = ASPP(widths[-1], (2, 4, 6))
        self.low = ConvBNReLU(widths[0], 8, 1)
        self.head = nn.Sequential(ConvBNReLU(24 + 8, 24), nn.Conv2d(24, n_classes, 1))

    def forward(self, x):
        size, feats = x.shape[2:], []
        for stage in self.stages:
            feats.append(stage(feats[-1] if feats else x))
        y = self.aspp(feats[-1])
        y = F.interpolate(y, size=feats[0].shape[2:], mode="bilinear", align_corners=False)
        y = self.head(torch.cat([y, self.low(feats[0])], dim=1))
        return {"out": F.interpolate(y, size, mode="bilinear", align_corners=False), "low": feats[0]}


def dice_loss(logits, target, eps=1e-6):
    probs = logits.softmax(dim=1)
    onehot = F.one_hot(target, logits.size(1)).permute(0, 3, 1, 2).float()  #! .permute(0, 3, 1, 2) => .permute(0, 2, 3, 1)
    inter = (probs * onehot).sum(dim=(0, 2, 3))
    total = (probs + onehot).sum(dim=(0, 2, 3))
    return 1 - ((2 * inter + eps) / (total + eps)).mean()


def confusion(pred, target, n):
    k = (target >= 0) & (target < n)
    return torch.bincount(n * target[k] + pred[k], minlength=n ** 2).reshape(n, n)


dataset = Scenes(make_folder())
loader = DataLoader(dataset, batch_size=4, shuffle=True, num_workers=0)
model = DeepLab(len(CLASSES))
opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
for images, masks in loader:
    out = model(images)["out"]
    loss = F.cross_entropy(out, masks, ignore_index=255) + dice_loss(out, masks)
    opt.zero_grad()
    loss.backward()
    opt.step()
x, y = dataset[0]
reveal_type(x)
reveal_type(y)
model.eval()
hist = torch.zeros(len(CLASSES), len(CLASSES))
with torch.no_grad():
    for images, masks in DataLoader(dataset, batch_size=1):
        pred = model(images)["out"].argmax(1)
        hist += confusion(pred.flatten(), masks.flatten(), len(CLASSES))
iou = hist.diag() / (hist.sum(1) + hist.sum(0) - hist.diag())
reveal_type(iou)
reveal_type(pred)
result = model(torch.rand(2, 3, 50, 70))
reveal_type(result["out"])
reveal_type(result["low"])
reveal_type(model.aspp.project[0][0].weight)
overlay = result["out"].argmax(1).unsqueeze(1) * torch.rand(3, 50, 70)  #! torch.rand(3, 50, 70) => torch.rand(3, 70, 50)

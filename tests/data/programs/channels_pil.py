"""Pictures of any mode: conversion, transforms v2, statistics by channel, a small classifier over an ImageFolder."""
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
from PIL import Image, ImageOps
from torch.utils.data import DataLoader, Subset
from torchvision import datasets, tv_tensors
from torchvision.transforms import v2


def make(root):
    rng = np.random.default_rng(0)
    for label in ("cat", "dog", "fox"):
        os.makedirs(os.path.join(root, label))
        for i in range(8):
            shape = (40 + i, 50, 3) if i % 2 else (40 + i, 50)
            Image.fromarray(rng.integers(0, 255, shape, dtype=np.uint8)).save(os.path.join(root, label, f"{i}.png"))


root = tempfile.mkdtemp()
make(root)
train_tf = v2.Compose([
    v2.ToImage(),
    v2.RandomResizedCrop(32, scale=(0.5, 1.0), antialias=True),
    v2.RandomHorizontalFlip(),
    v2.ToDtype(torch.float32, scale=True),
    v2.Normalize(mean=[0.5] * 3, std=[0.25] * 3),
])
data = datasets.ImageFolder(root, transform=train_tf)
loader = DataLoader(data, batch_size=10, shuffle=True)
total, square, count = torch.zeros(3), torch.zeros(3), 0
for images, labels in loader:
    total += images.sum(dim=(0, 2, 3))  #! dim=(0, 2, 3) => dim=(0, 1, 3)
    square += images.pow(2).sum(dim=(0, 2, 3))
    count += images.numel() // images.shape[1]
mean = total / count
std = (square / count - mean ** 2).sqrt()
reveal_type(std)
net = nn.Sequential(nn.Conv2d(3, 8, 5, 2), nn.ReLU(), nn.Flatten(), nn.LazyLinear(len(data.classes)))
net(torch.zeros(1, 3, 32, 32))
reveal_type(net[0].weight)
for images, labels in DataLoader(Subset(data, range(12)), batch_size=6):
    loss = nn.functional.cross_entropy(net(images), labels)
reveal_type(images)
picture = Image.new("RGB", (64, 48), (10, 20, 30))
gray, rgba = picture.convert("L"), picture.convert("RGBA")
a = np.asarray(picture)
reveal_type(a)
reveal_type(np.asarray(gray))
alpha = np.array(rgba)[..., 3]
reveal_type(alpha)
blended = (a * (alpha[..., None] / 255.0)).astype(np.uint8)  #! alpha[..., None] => alpha
reveal_type(blended)
padded = ImageOps.expand(picture, border=(8, 4), fill=0)
reveal_type(v2.functional.pil_to_tensor(padded))
crop = picture.crop((4, 4, 36, 40)).resize((20, 10)).rotate(90, expand=True)
t = v2.functional.to_dtype(v2.functional.to_image(crop), torch.float32, scale=True)
logits = net(nn.functional.interpolate(t[None], size=(32, 32)))  #! t[None] => t
reveal_type(logits)
out = Image.fromarray((t.permute(1, 2, 0).numpy() * 255).astype("uint8"))
merged = np.concatenate([np.asarray(out.resize((64, 48))), a], axis=1)
reveal_type(merged)

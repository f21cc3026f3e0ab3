import copy
import glob
import os
import random
import tempfile
import time

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from PIL import Image
from torch.optim import lr_scheduler
from torch.utils.data import DataLoader, Dataset, random_split
from torchvision import models, transforms

data_transforms = {
    "train": transforms.Compose([transforms.RandomResizedCrop(64), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
                                 transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])]),
    "val": transforms.Compose([transforms.Resize(72), transforms.CenterCrop(64), transforms.ToTensor(),  #! CenterCrop(64) => CenterCrop(48)
                               transforms.Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])]),  #! [0.485, 0.456, 0.406] => [0.485]
}


def make_images(root, classes=("ants", "bees", "wasps"), n=6):
    for split in ("train", "val"):
        for c in classes:
            folder = os.path.join(root, split, c)
            os.makedirs(folder)
            for i in range(n):
                pixels = np.random.randint(0, 255, (80, 100, 3), dtype=np.uint8)
                Image.fromarray(pixels).save(os.path.join(folder, f"{i}.png"))


class InsectDataset(Dataset):
    def __init__(self, root, split, transform=None):
        self.paths = sorted(glob.glob(os.path.join(root, split, "*", "*.png")))
        self.classes = sorted(os.listdir(os.path.join(root, split)))
        self.transform = transform

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        path = self.paths[index]
        image = Image.open(path).convert("RGB")  #! convert("RGB") => convert("L")
        label = self.classes.index(path.split(os.sep)[-2])
        if self.transform:
            image = self.transform(image)
        return image, label


def build(num_classes):
    model = models.resnet18(weights=None)
    for param in model.layer1.parameters():
        param.requires_grad = False
    num_ftrs = model.fc.in_features
    model.fc = nn.Sequential(nn.Linear(num_ftrs, 64), nn.ReLU(), nn.Linear(64, num_classes))  #! nn.Linear(num_ftrs, 64) => nn.Linear(1024, 64)
    model.avgpool = nn.Sequential(nn.Conv2d(512, 512, 1), nn.AdaptiveAvgPool2d(1))  #! nn.Conv2d(512, 512, 1) => nn.Conv2d(256, 512, 1)
    return model


def train_model(model, dataloaders, sizes, criterion, optimizer, scheduler, num_epochs=1):
    since = time.time()
    best_wts, best_acc = copy.deepcopy(model.state_dict()), 0.0
    for epoch in range(num_epochs):
        for phase in ["train", "val"]:
            if phase == "train":
                model.train()
            else:
                model.eval()
            running_loss, running_corrects = 0.0, 0
            for inputs, labels in dataloaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == "train"):
                    outputs = model(inputs)
                    reveal_type(outputs)
                    _, preds = torch.max(outputs, 1)
                    loss = criterion(outputs, labels)  #! outputs, labels => preds, labels
                    if phase == "train":
                        loss.backward()
                        optimizer.step()
                running_loss += loss.item() * inputs.size(0)
                running_corrects += torch.sum(preds == labels.data)
            if phase == "train":
                scheduler.step()
            epoch_acc = running_corrects.double() / sizes[phase]
            if phase == "val" and epoch_acc > best_acc:
                best_acc = epoch_acc
                best_wts = copy.deepcopy(model.state_dict())
    print(f"{time.time() - since:.0f}s {best_acc:.4f}")
    model.load_state_dict(best_wts)
    return model


if __name__ == "__main__":
    root = tempfile.mkdtemp()
    make_images(root)
    datasets = {x: InsectDataset(root, x, data_transforms[x]) for x in ["train", "val"]}
    tuning, rest = random_split(datasets["train"], [12, len(datasets["train"]) - 12])
    loaders = {x: DataLoader(d, batch_size=4, shuffle=True) for x, d in {"train": tuning, "val": datasets["val"]}.items()}
    sizes = {"train": len(tuning), "val": len(datasets["val"])}
    net = build(len(datasets["train"].classes))
    sgd = optim.SGD(filter(lambda p: p.requires_grad, net.parameters()), lr=0.001, momentum=0.9)
    net = train_model(net, loaders, sizes, nn.CrossEntropyLoss(), sgd, lr_scheduler.StepLR(sgd, 7))
    shown = torch.stack([datasets["val"][i][0] for i in range(4)])
    reveal_type(shown)
    grid = shown.permute(0, 2, 3, 1).numpy() * np.array([0.229, 0.224, 0.225]) + np.array([0.485, 0.456, 0.406])  #! permute(0, 2, 3, 1) => permute(0, 2, 1, 3)
    print(np.clip(grid, 0, 1).shape)

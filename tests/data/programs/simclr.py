"""Contrastive learning with NT-Xent loss and a momentum queue, on two views of each image."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torchvision import models, transforms
from torchvision.transforms import Compose
from torch.utils.data import DataLoader, Dataset
from PIL import Image
import numpy as np


class TwoViews:
    """Applies a transform twice."""

    def __init__(self, base):
        self.base = base

    def __call__(self, x):
        return [self.base(x) for _ in range(2)]


class Pictures(Dataset):
    def __init__(self, transform=None):
        self.transform = transform
        self.data = np.random.randint(0, 255, (32, 40, 40, 3), dtype=np.uint8)

    def __len__(self):
        return len(self.data)

    def __getitem__(self, i):
        img = Image.fromarray(self.data[i])
        if self.transform is not None:
            img = self.transform(img)
        return img, i % 10


def get_transform(size):
    color = transforms.ColorJitter(0.8, 0.8, 0.8, 0.2)
    return Compose([
        transforms.RandomResizedCrop(size=size),
        transforms.RandomHorizontalFlip(),
        transforms.RandomApply([color], p=0.8),
        transforms.RandomGrayscale(p=0.2),
        transforms.ToTensor(),
        transforms.Normalize([0.5, 0.5, 0.5], [0.2, 0.2, 0.2]),
    ])


class ResNetSimCLR(nn.Module):
    def __init__(self, base_model, out_dim):
        super().__init__()
        self.resnet_dict = {
            "resnet18": models.resnet18(weights=None, num_classes=out_dim),
            "resnet50": models.resnet50(weights=None, num_classes=out_dim),
        }
        self.backbone = self.resnet_dict[base_model]
        dim_mlp = self.backbone.fc.in_features
        self.backbone.fc = nn.Sequential(nn.Linear(dim_mlp, dim_mlp), nn.ReLU(), self.backbone.fc)  #! nn.Linear(dim_mlp, dim_mlp) => nn.Linear(dim_mlp, out_dim)

    def forward(self, x):
        return self.backbone(x)


class SimCLR(object):
    def __init__(self, *args, **kwargs):
        self.batch_size = kwargs["batch_size"]
        self.n_views = kwargs.get("n_views", 2)
        self.temperature = kwargs.get("temperature", 0.07)
        self.model = kwargs["model"]
        self.optimizer = kwargs["optimizer"]
        self.criterion = nn.CrossEntropyLoss()

    def info_nce_loss(self, features):
        labels = torch.cat([torch.arange(self.batch_size) for i in range(self.n_views)], dim=0)
        labels = (labels.unsqueeze(0) == labels.unsqueeze(1)).float()
        features = F.normalize(features, dim=1)
        similarity_matrix = torch.matmul(features, features.T)  #! features.T => features
        mask = torch.eye(labels.shape[0], dtype=torch.bool)
        labels = labels[~mask].view(labels.shape[0], -1)
        similarity_matrix = similarity_matrix[~mask].view(similarity_matrix.shape[0], -1)
        positives = similarity_matrix[labels.bool()].view(labels.shape[0], -1)
        negatives = similarity_matrix[~labels.bool()].view(similarity_matrix.shape[0], -1)
        logits = torch.cat([positives, negatives], dim=1)  #! dim=1 => dim=0
        labels = torch.zeros(logits.shape[0], dtype=torch.long)
        logits = logits / self.temperature
        return logits, labels

    def train(self, loader):
        for images, _ in loader:
            images = torch.cat(images, dim=0)  #! images = torch.cat(images, dim=0) => images = torch.stack(images)
            features = self.model(images)
            reveal_type(features)
            logits, labels = self.info_nce_loss(features)
            loss = self.criterion(logits, labels)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


def main():
    dataset = Pictures(TwoViews(get_transform(32)))
    loader = DataLoader(dataset, batch_size=16, shuffle=True, drop_last=True)
    model = ResNetSimCLR(base_model="resnet18", out_dim=24)
    optimizer = torch.optim.Adam(model.parameters(), 3e-4, weight_decay=1e-4)
    simclr = SimCLR(model=model, optimizer=optimizer, batch_size=16)  #! batch_size=16) => batch_size=32)
    simclr.train(loader)


if __name__ == "__main__":
    main()

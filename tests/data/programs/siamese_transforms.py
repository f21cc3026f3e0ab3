"""One-shot learning on image pairs from files, with transforms, a weighted sampler and a triplet loss."""
import os
import random
import tempfile
from pathlib import Path

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
import torchvision.transforms as T
from PIL import Image
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler


def write_images(root, classes=3, each=6):
    for c in range(classes):
        folder = Path(root) / f"class_{c}"
        folder.mkdir(parents=True, exist_ok=True)
        for i in range(each):
            arr = np.random.randint(0, 255, (48, 60, 3), dtype=np.uint8)
            Image.fromarray(arr).save(folder / f"{i}.png")


class Triplets(Dataset):
    def __init__(self, root, transform=None):
        self.paths = sorted(Path(root).glob("*/*.png"))
        self.labels = [int(p.parent.name.split("_")[1]) for p in self.paths]
        self.by_class = {}
        for path, label in zip(self.paths, self.labels):
            self.by_class.setdefault(label, []).append(path)
        self.transform = transform or T.ToTensor()

    def load(self, path):
        with Image.open(path) as img:
            return self.transform(img.convert("L"))  #! convert("L") => convert("RGB")

    def __len__(self):
        return len(self.paths)

    def __getitem__(self, index):
        label = self.labels[index]
        other = random.choice([c for c in self.by_class if c != label])
        positive = random.choice(self.by_class[label])
        negative = random.choice(self.by_class[other])
        return tuple(self.load(p) for p in (self.paths[index], positive, negative)), label


class EmbeddingNet(nn.Module):
    def __init__(self, size=32, dim=16):
        super().__init__()
        self.convnet = nn.Sequential(
            nn.Conv2d(1, 8, 5), nn.PReLU(), nn.MaxPool2d(2, stride=2),
            nn.Conv2d(8, 16, 5), nn.PReLU(), nn.MaxPool2d(2, stride=2),
        )
        with torch.no_grad():
            n = self.convnet(torch.zeros(1, 1, size, size)).numel()
        self.fc = nn.Sequential(nn.Linear(n, 64), nn.PReLU(), nn.Linear(64, dim))

    def forward(self, x):
        output = self.convnet(x)
        output = output.view(output.size()[0], -1)
        output = self.fc(output)
        return F.normalize(output, p=2, dim=1)

    def get_embedding(self, x):
        return self.forward(x)


class TripletNet(nn.Module):
    def __init__(self, embedding_net):
        super().__init__()
        self.embedding_net = embedding_net

    def forward(self, *inputs):
        return [self.embedding_net(x) for x in inputs]


def hard_negatives(embeddings, labels, margin=0.2):
    dist = torch.cdist(embeddings, embeddings)
    same = labels[:, None] == labels[None, :]
    positive = (dist * same).max(dim=1).values
    negative = dist.masked_fill(same, float("inf")).min(dim=1).values
    return F.relu(positive - negative + margin).mean()


root = tempfile.mkdtemp()
write_images(root)
train_tf = T.Compose([
    T.Resize(36),  #! T.Resize(36) => T.Resize((30, 30))
    T.RandomCrop(32),  #! 32 => 36
    T.RandomHorizontalFlip(p=0.5),
    T.ToTensor(),
    T.Normalize((0.5,), (0.5,)),
])
dataset = Triplets(root, train_tf)
weights = [1.0 / dataset.labels.count(l) for l in dataset.labels]
sampler = WeightedRandomSampler(weights, num_samples=len(weights))
loader = DataLoader(dataset, batch_size=6, sampler=sampler)
model = TripletNet(EmbeddingNet())  #! EmbeddingNet() => EmbeddingNet(size=36)
criterion = nn.TripletMarginLoss(margin=1.0)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for (anchor, pos, neg), labels in loader:
    ea, ep, en = model(anchor, pos, neg)  #! ea, ep, en => ea, ep
    loss = criterion(ea, ep, en) + hard_negatives(torch.cat([ea, ep]), labels.repeat(2))  #! labels.repeat(2) => labels
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
reveal_type(ea.shape[1])
query = train_tf(Image.new("L", (80, 64)))
reveal_type(query)
emb = model.embedding_net.get_embedding(query.unsqueeze(0))  #! query.unsqueeze(0) => query
reveal_type(emb)
grid = torchvision.utils.make_grid(anchor, nrow=3)

"""Metric learning: a P-K batch sampler, ArcFace head, triplet mining with masks, retrieval metrics."""
import math
import random
from collections import defaultdict

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, Sampler


class Faces(Dataset):
    def __init__(self, people=9, each=7):
        self.targets = [p for p in range(people) for _ in range(each)]
        self.images = torch.rand(len(self.targets), 1, 28, 28)

    def __len__(self):
        return len(self.targets)

    def __getitem__(self, i):
        return self.images[i], self.targets[i]


class PKSampler(Sampler):
    def __init__(self, targets, p, k):
        self.p, self.k = p, k
        self.groups = defaultdict(list)
        for i, t in enumerate(targets):
            self.groups[t].append(i)

    def __len__(self):
        return len(self.groups) // self.p

    def __iter__(self):
        labels = list(self.groups)
        random.shuffle(labels)
        for s in range(len(self)):
            batch = []
            for label in labels[s * self.p : (s + 1) * self.p]:
                batch.extend(random.sample(self.groups[label], self.k))
            yield batch


class Embedder(nn.Module):
    def __init__(self, dim=32, pool="gem"):
        super().__init__()
        self.body = nn.Sequential(*[m for i, o in [(1, 8), (8, 16), (16, 24)] for m in (nn.Conv2d(i, o, 3, 2, 1, bias=False), nn.BatchNorm2d(o), nn.PReLU(o))])
        self.p = nn.Parameter(torch.ones(1) * 3)
        self.neck = nn.Sequential(nn.Linear(24, dim), nn.BatchNorm1d(dim))
        self.pool = getattr(self, f"_{pool}")

    def _gem(self, x):
        return F.avg_pool2d(x.clamp(min=1e-6).pow(self.p), (x.size(-2), x.size(-1))).pow(1.0 / self.p)

    def _max(self, x):
        return F.adaptive_max_pool2d(x, 1)

    def forward(self, x):
        return F.normalize(self.neck(self.pool(self.body(x)).flatten(1)))


class ArcFace(nn.Module):
    def __init__(self, dim, classes, s=30.0, m=0.5):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(classes, dim))
        nn.init.xavier_uniform_(self.weight)
        self.s, self.cos_m, self.sin_m = s, math.cos(m), math.sin(m)
        self.th, self.mm = math.cos(math.pi - m), math.sin(math.pi - m) * m

    def forward(self, emb, label):
        cosine = F.linear(emb, F.normalize(self.weight))  #! F.normalize(self.weight) => F.normalize(self.weight).t()
        sine = torch.sqrt((1.0 - cosine.pow(2)).clamp(0, 1))
        phi = cosine * self.cos_m - sine * self.sin_m
        phi = torch.where(cosine > self.th, phi, cosine - self.mm)
        one_hot = torch.zeros_like(cosine).scatter_(1, label.view(-1, 1).long(), 1)
        return (one_hot * phi + (1.0 - one_hot) * cosine) * self.s


def pairwise(e, squared=False):
    dot = e @ e.t()
    sq = dot.diagonal()
    d = (sq.unsqueeze(0) - 2.0 * dot + sq.unsqueeze(1)).clamp(min=0)
    return d if squared else (d + (d == 0).float() * 1e-16).sqrt()


def batch_hard(e, labels, margin=0.3):
    d = pairwise(e)
    same = labels.unsqueeze(0) == labels.unsqueeze(1)  #! labels.unsqueeze(1) => labels
    eye = torch.eye(len(labels), dtype=torch.bool)
    hardest_pos = d.masked_fill(~(same & ~eye), 0).amax(1)
    hardest_neg = d.masked_fill(same, float("inf")).amin(1)
    return F.relu(hardest_pos - hardest_neg + margin).mean()


def batch_all(e, labels, margin=0.3):
    d = pairwise(e, squared=True)
    loss = d.unsqueeze(2) - d.unsqueeze(1) + margin
    same = labels[:, None] == labels[None, :]
    distinct = ~torch.eye(labels.size(0), dtype=torch.bool)
    mask = (distinct.unsqueeze(2) & distinct.unsqueeze(1) & distinct.unsqueeze(0)) & (same.unsqueeze(2) & ~same.unsqueeze(1))
    loss = F.relu(mask.float() * loss)
    return loss.sum() / ((loss > 1e-16).float().sum() + 1e-16)


data = Faces()
loader = DataLoader(data, batch_sampler=PKSampler(data.targets, p=4, k=3))
model, head = Embedder(), ArcFace(32, 9)  #! ArcFace(32, 9) => ArcFace(64, 9)
opt = torch.optim.SGD([{"params": model.parameters()}, {"params": head.parameters(), "weight_decay": 5e-4}], lr=0.1)
for images, labels in loader:
    e = model(images)
    logits = head(e, labels)
    loss = F.cross_entropy(logits, labels) + batch_hard(e, labels) + 0.1 * batch_all(e, labels)
    opt.zero_grad()
    loss.backward()
    opt.step()
reveal_type(images)
reveal_type(head(model(torch.rand(6, 1, 28, 28)), torch.arange(6)))
model.eval()
bank, owners = [], []
with torch.no_grad():
    for images, labels in DataLoader(data, batch_size=20):
        bank.append(model(images))
        owners.append(labels)
bank, owners = torch.cat(bank), torch.cat(owners)
reveal_type(bank)
similarity = bank @ bank.T - 2 * torch.eye(63)  #! torch.eye(63) => torch.eye(62)
rank = similarity.argsort(dim=1, descending=True)[:, :5]
hits = owners[rank] == owners[:, None]
reveal_type(hits)
recall = {k: hits[:, :k].any(dim=1).float().mean().item() for k in (1, 5)}
precision = hits.float().cumsum(1) / torch.arange(1, 6)
reveal_type(precision)
centers = torch.zeros(9, 32).index_add_(0, owners, bank) / owners.bincount(minlength=9).unsqueeze(1)
reveal_type(centers)
reveal_type(torch.cdist(bank, centers).argmin(1))

"""Momentum contrast with a queue in buffers, two views by a collate function, and a linear probe."""
import copy
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, RandomSampler, Subset


class Noise(Dataset):
    def __init__(self, n=70):
        self.images = torch.rand(n, 3, 24, 24)
        self.labels = torch.arange(n) % 5

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return self.images[index], int(self.labels[index])


class TwoViews:
    def __init__(self, size):
        self.size = size

    def crop(self, img):
        top, left = random.randint(0, 24 - self.size), random.randint(0, 24 - self.size)
        out = img[:, top : top + self.size, left : left + self.size]
        return out.flip(-1) if random.random() < 0.5 else out

    def __call__(self, batch):
        q = torch.stack([self.crop(x) for x, _ in batch])
        k = torch.stack([self.crop(x) for x, _ in batch])
        return q, k, torch.tensor([y for _, y in batch])


def encoder(dim):
    body = [nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, 32, 3, 2, 1), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten()]
    net = nn.Sequential(*body)
    net.add_module("fc", nn.Linear(32, dim))
    return net


class MoCo(nn.Module):
    def __init__(self, dim=16, K=64, m=0.99, T=0.2):
        super().__init__()
        self.K, self.m, self.T = K, m, T
        self.encoder_q = encoder(dim)
        self.encoder_k = copy.deepcopy(self.encoder_q)
        width = self.encoder_q.fc.weight.shape[1]
        for e in (self.encoder_q, self.encoder_k):
            e.fc = nn.Sequential(nn.Linear(width, width), nn.ReLU(), e.fc)
        for p in self.encoder_k.parameters():
            p.requires_grad = False
        self.register_buffer("queue", F.normalize(torch.randn(dim, K), dim=0))
        self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def update(self):
        for q, k in zip(self.encoder_q.parameters(), self.encoder_k.parameters()):
            k.data = k.data * self.m + q.data * (1.0 - self.m)

    @torch.no_grad()
    def enqueue(self, keys):
        n = keys.shape[0]
        ptr = int(self.ptr)
        assert self.K % n == 0
        self.queue[:, ptr : ptr + n] = keys.T  #! keys.T => keys
        self.ptr[0] = (ptr + n) % self.K

    def forward(self, im_q, im_k):
        q = F.normalize(self.encoder_q(im_q), dim=1)
        with torch.no_grad():
            self.update()
            shuffle = torch.randperm(im_k.size(0))
            k = F.normalize(self.encoder_k(im_k[shuffle]), dim=1)
            k = k[torch.argsort(shuffle)]
        l_pos = torch.einsum("nc,nc->n", [q, k]).unsqueeze(-1)
        l_neg = torch.einsum("nc,ck->nk", [q, self.queue.clone().detach()])  #! "nc,ck->nk" => "nc,kc->nk"
        logits = torch.cat([l_pos, l_neg], dim=1) / self.T  #! dim=1) => dim=0)
        labels = torch.zeros(logits.shape[0], dtype=torch.long)
        self.enqueue(k)
        return logits, labels


data = Noise()
loader = DataLoader(data, batch_size=16, sampler=RandomSampler(data), collate_fn=TwoViews(16), drop_last=True)
model = MoCo()
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD((p for p in model.parameters() if p.requires_grad), lr=0.03, momentum=0.9, weight_decay=1e-4)
for epoch in range(2):
    for im_q, im_k, _ in loader:
        output, target = model(im_q, im_k)
        loss = criterion(output, target)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    reveal_type(output)
reveal_type(im_q)
reveal_type(model.queue)

features = copy.deepcopy(model.encoder_q).requires_grad_(False).eval()
features.fc = nn.Identity()
reveal_type(features(data.images[:7]))
probe = nn.Linear(32, 5)
subset = Subset(data, list(range(0, 70, 2)))
for x, y in DataLoader(subset, batch_size=10):
    loss = F.cross_entropy(probe(features(x)), y)  #! features(x) => model.encoder_q(x)
reveal_type(x)
with torch.no_grad():
    bank = F.normalize(features(data.images), dim=1)
    sim = bank @ bank.t()
    sim.fill_diagonal_(-1)
    near = sim.topk(3, dim=1).indices
    votes = data.labels[near]
reveal_type(votes)
pred = votes.mode(dim=1).values
accuracy = (pred == data.labels).float().mean()
reveal_type(accuracy)

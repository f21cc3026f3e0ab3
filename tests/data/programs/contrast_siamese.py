"""Metric learning: CIFAR-like torchvision pipeline, two views, NT-Xent and triplet loss, memory bank, kNN evaluation."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
from PIL import Image
from torch.utils.data import DataLoader, Dataset
from torchvision import transforms


class TwoViews:
    def __init__(self, base, n=2):
        self.base, self.n = base, n

    def __call__(self, x):
        return [self.base(x) for _ in range(self.n)]


class FakePhotos(Dataset):
    def __init__(self, n, transform=None):
        rng = np.random.default_rng(0)
        self.data = rng.integers(0, 256, (n, 40, 40, 3), dtype=np.uint8)  #! (n, 40, 40, 3) => (n, 40, 40, 4)
        self.targets = rng.integers(0, 5, n)
        self.transform = transform

    def __getitem__(self, i):
        img = Image.fromarray(self.data[i])
        return (self.transform(img) if self.transform else img), int(self.targets[i])

    def __len__(self):
        return len(self.data)


train_tf = transforms.Compose([
    transforms.RandomResizedCrop(32, scale=(0.4, 1.0)),  #! transforms.RandomResizedCrop(32, scale=(0.4, 1.0)), => 
    transforms.RandomHorizontalFlip(),
    transforms.RandomApply([transforms.ColorJitter(0.4, 0.4, 0.4, 0.1)], p=0.8),
    transforms.RandomGrayscale(p=0.2),
    transforms.ToTensor(),
    transforms.Normalize([0.5, 0.5, 0.5], [0.2, 0.2, 0.2]),
])
test_tf = transforms.Compose([transforms.CenterCrop(32), transforms.ToTensor(), transforms.Normalize([0.5] * 3, [0.2] * 3)])


class Encoder(nn.Module):
    def __init__(self, dim=64, hidden=128):
        super().__init__()
        resnet = torchvision.models.resnet18(num_classes=10)
        resnet.conv1 = nn.Conv2d(3, 64, 3, 1, 1, bias=False)
        resnet.maxpool = nn.Identity()
        width = resnet.fc.in_features
        resnet.fc = nn.Identity()
        self.f = resnet
        self.g = nn.Sequential(nn.Linear(width, hidden), nn.ReLU(), nn.Linear(hidden, dim))  #! nn.Linear(width, hidden) => nn.Linear(dim, hidden)

    def forward(self, x):
        h = self.f(x)
        return h, F.normalize(self.g(h), dim=1)


def nt_xent(z1, z2, t=0.5):
    n = z1.shape[0]
    z = torch.cat([z1, z2], 0)  #! , 0) => , 1)
    sim = z @ z.T / t
    sim = sim.masked_fill(torch.eye(2 * n, dtype=torch.bool), float("-inf"))  #! torch.eye(2 * n => torch.eye(n
    target = torch.cat([torch.arange(n, 2 * n), torch.arange(n)])
    return F.cross_entropy(sim, target)  #! target) => target[:n])


class Bank(nn.Module):
    def __init__(self, dim, size):
        super().__init__()
        self.register_buffer("queue", F.normalize(torch.randn(dim, size), dim=0))
        self.register_buffer("ptr", torch.zeros(1, dtype=torch.long))

    @torch.no_grad()
    def push(self, keys):
        n, p = keys.size(0), int(self.ptr)
        self.queue[:, p:p + n] = keys.T  #! keys.T => keys
        self.ptr[0] = (p + n) % self.queue.size(1)

    def logits(self, q, k):
        pos = torch.einsum("nc,nc->n", q, k).unsqueeze(-1)  #! .unsqueeze(-1) => 
        neg = torch.einsum("nc,ck->nk", q, self.queue)
        return torch.cat([pos, neg], dim=1) / 0.07


def hardest(dist, labels):
    same = labels[:, None] == labels[None, :]
    pos = (dist * same).max(1)[0]
    neg = (dist + 1e5 * same).min(1)[0]
    return pos, neg


loader = DataLoader(FakePhotos(24, TwoViews(train_tf)), batch_size=8, shuffle=True, drop_last=True)
model, bank = Encoder(), Bank(64, 32)
opt = torch.optim.SGD(model.parameters(), 0.03, momentum=0.9, nesterov=True)
for (a, b), y in loader:
    (_, za), (_, zb) = model(a), model(b)
    logits = bank.logits(za, zb.detach())
    loss = nt_xent(za, zb) + F.cross_entropy(logits, torch.zeros(len(y), dtype=torch.long))
    pos, neg = hardest(torch.cdist(za, zb), y)
    loss = loss + F.relu(pos - neg + 0.2).mean()
    loss = loss + nn.TripletMarginLoss()(za, zb, zb.roll(1, 0))
    opt.zero_grad()
    loss.backward()
    opt.step()
    bank.push(zb.detach())
reveal_type(a)
reveal_type(logits)
reveal_type(pos)
model.eval()
with torch.no_grad():
    base = DataLoader(FakePhotos(12, test_tf), 4)
    feats = torch.cat([model(x)[0] for x, _ in base])
    labels = torch.as_tensor(base.dataset.targets)
    x, y = next(iter(base))
    h, z = model(x)
    sim, idx = (F.normalize(h) @ F.normalize(feats).T).topk(3, dim=1)  #! F.normalize(feats).T => F.normalize(feats)
    votes = torch.zeros(len(x), 5).scatter_add_(1, labels[idx], sim)  #! labels[idx], sim => labels[idx], sim.T
reveal_type(feats)
reveal_type(votes)
reveal_type(z)

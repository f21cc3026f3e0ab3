"""Recommendation: matrix factorisation, factorisation machines and a two-tower model, with negative sampling."""
import argparse
from collections import defaultdict

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


class Interactions(Dataset):
    def __init__(self, n_users, n_items, n=200, negatives=4):
        rng = np.random.RandomState(0)
        self.users = rng.randint(0, n_users, n)
        self.items = rng.randint(0, n_items, n)
        self.n_items, self.negatives = n_items, negatives
        self.seen = defaultdict(set)
        for u, i in zip(self.users, self.items):
            self.seen[u].add(i)

    def __len__(self):
        return len(self.users)

    def __getitem__(self, index):
        user, item = self.users[index], self.items[index]
        neg = []
        while len(neg) < self.negatives:
            cand = np.random.randint(self.n_items)
            if cand not in self.seen[user]:
                neg.append(cand)
        return torch.tensor(user), torch.tensor(item), torch.tensor(neg)


class MF(nn.Module):
    def __init__(self, n_users, n_items, dim):
        super().__init__()
        self.user = nn.Embedding(n_users, dim)
        self.item = nn.Embedding(n_items, dim)  #! n_items, dim => dim, n_items
        self.bias = nn.Embedding(n_items, 1)
        for p in self.parameters():
            nn.init.normal_(p, std=0.01)

    def forward(self, users, items):
        u = self.user(users)
        i = self.item(items)
        if items.dim() == 2:
            u = u.unsqueeze(1)  #! u.unsqueeze(1) => u.unsqueeze(2)
        return (u * i).sum(-1) + self.bias(items).squeeze(-1)  #! .squeeze(-1) =>


class TwoTower(nn.Module):
    def __init__(self, n_users, n_items, dim=16, tower=(32, 16)):
        super().__init__()
        self.user = nn.Embedding(n_users, dim)
        self.item = nn.Embedding(n_items, dim)
        self.user_tower = self.make(dim, tower)
        self.item_tower = self.make(dim, tower[:-1] + (tower[-1],))  #! (tower[-1],) => (tower[-1] * 2,)

    @staticmethod
    def make(dim, sizes):
        layers = []
        for s in sizes:
            layers.append(nn.Linear(dim, s))
            layers.append(nn.ReLU())
            dim = s  #! dim = s => s = dim
        return nn.Sequential(*layers[:-1])

    def forward(self, users, items):
        u = F.normalize(self.user_tower(self.user(users)), dim=-1)
        v = F.normalize(self.item_tower(self.item(items)), dim=-1)
        return u @ v.T / 0.1  #! v.T => v


class FM(nn.Module):
    def __init__(self, field_dims, k):
        super().__init__()
        self.offsets = np.array((0, *np.cumsum(field_dims)[:-1]), dtype=np.int64)
        self.embedding = nn.Embedding(sum(field_dims), k)
        self.linear = nn.Embedding(sum(field_dims), 1)
        self.mlp = nn.Sequential(nn.Linear(len(field_dims) * k, 32), nn.ReLU(), nn.Dropout(0.2), nn.Linear(32, 1))  #! len(field_dims) * k => k

    def forward(self, x):
        x = x + x.new_tensor(self.offsets).unsqueeze(0)
        e = self.embedding(x)
        square_of_sum = e.sum(dim=1) ** 2
        sum_of_square = (e ** 2).sum(dim=1)
        inter = 0.5 * (square_of_sum - sum_of_square).sum(dim=1, keepdim=True)
        deep = self.mlp(e.view(e.size(0), -1))  #! e.view(e.size(0), -1) => e
        return torch.sigmoid((self.linear(x).sum(1) + inter + deep).squeeze(1))  #! .sum(1) + inter => + inter


def hit_rate(scores, k=5):
    topk = scores.topk(k, dim=1).indices
    labels = torch.arange(scores.size(0)).unsqueeze(1)
    return (topk == labels).any(dim=1).float().mean()


def main(args):
    data = Interactions(args.users, args.items)
    loader = DataLoader(data, batch_size=args.batch, shuffle=True, drop_last=True)
    mf, tower = MF(args.users, args.items, args.dim), TwoTower(args.users, args.items)
    opt = torch.optim.Adam([*mf.parameters(), *tower.parameters()], lr=1e-2)
    for users, items, negatives in loader:
        pos = mf(users, items)
        neg = mf(users, negatives)
        bpr = -F.logsigmoid(pos.unsqueeze(1) - neg).mean()  #! pos.unsqueeze(1) - neg => pos - neg
        scores = tower(users, items)
        contrast = F.cross_entropy(scores, torch.arange(len(users)))  #! torch.arange(len(users)) => torch.arange(args.dim)
        opt.zero_grad()
        (bpr + contrast).backward()
        opt.step()
    print(hit_rate(scores))
    fm = FM([args.users, args.items, 7], 8)
    x = torch.stack([torch.randint(d, (32,)) for d in (args.users, args.items, 7)], dim=1)  #! dim=1) => dim=0)
    out = fm(x)
    reveal_type(out)
    loss = F.binary_cross_entropy(out, torch.randint(0, 2, (32,)).float())  #! (32,)).float() => (32, 1)).float()
    loss.backward()


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--users", type=int, default=40)
    p.add_argument("--items", type=int, default=60)
    p.add_argument("--dim", type=int, default=12)
    p.add_argument("--batch", type=int, default=32)
    main(p.parse_args())

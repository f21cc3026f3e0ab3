"""Tabular regression from NumPy arrays: normalising, categorical embeddings, k folds, early stopping."""
import itertools
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset, Subset, SubsetRandomSampler


def make_csv(path, rows=120):
    rng = np.random.default_rng(0)
    cats = rng.integers(0, 5, size=(rows, 2))
    nums = rng.normal(size=(rows, 6))
    y = nums.sum(axis=1, keepdims=True)
    np.savetxt(path, np.concatenate([cats, nums, y], axis=1), delimiter=",")  #! axis=1), delimiter => axis=0), delimiter


class Table(Dataset):
    CATS, NUMS = slice(0, 2), slice(2, 8)  #! slice(2, 8) => slice(2, 9)

    def __init__(self, path):
        raw = np.loadtxt(path, delimiter=",", dtype=np.float32)
        self.cats = torch.from_numpy(raw[:, self.CATS].astype(np.int64))
        nums = raw[:, self.NUMS]
        nums = (nums - nums.mean(axis=0)) / (nums.std(axis=0) + 1e-8)  #! nums.mean(axis=0) => nums.mean(axis=1)
        self.nums = torch.from_numpy(nums)
        self.y = torch.from_numpy(raw[:, -1])

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return (self.cats[i], self.nums[i]), self.y[i]


class TabularNet(nn.Module):
    def __init__(self, cardinalities, n_numeric, hidden=(32, 16), emb_dim=None):
        super().__init__()
        self.embeds = nn.ModuleList([nn.Embedding(c, emb_dim or min(50, (c + 1) // 2)) for c in cardinalities])
        n_emb = sum(e.embedding_dim for e in self.embeds)
        sizes = [n_emb + n_numeric, *hidden]  #! n_emb + n_numeric => n_emb
        self.body = nn.Sequential(*itertools.chain.from_iterable(
            (nn.Linear(a, b), nn.BatchNorm1d(b), nn.ReLU()) for a, b in zip(sizes[:-1], sizes[1:])
        ))
        self.out = nn.Linear(sizes[-1], 1)  #! sizes[-1], 1 => sizes[0], 1

    def forward(self, cats, nums):
        e = [emb(cats[:, i]) for i, emb in enumerate(self.embeds)]
        x = torch.cat([*e, nums], dim=1)  #! dim=1 => dim=0
        return self.out(self.body(x)).squeeze(1)  #! .squeeze(1) => .squeeze(2)


class EarlyStopping:
    def __init__(self, patience=2):
        self.patience, self.best, self.bad = patience, float("inf"), 0

    def __call__(self, value):
        if value < self.best:
            self.best, self.bad = value, 0
            return False
        self.bad += 1
        return self.bad >= self.patience


def kfold(n, k):
    idx = np.arange(n)
    for part in np.array_split(idx, k):
        yield np.setdiff1d(idx, part), part


def main():
    path = os.path.join(tempfile.gettempdir(), "harp_table.csv")
    make_csv(path)
    data = Table(path)
    for fold, (train_idx, val_idx) in enumerate(kfold(len(data), 3)):
        train = DataLoader(data, batch_size=16, sampler=SubsetRandomSampler(train_idx), drop_last=True)
        val = DataLoader(Subset(data, val_idx), batch_size=64)
        net = TabularNet([5, 5], 6)
        opt = torch.optim.Adam(net.parameters(), lr=1e-2)
        stop = EarlyStopping()
        mse = nn.MSELoss()
        for epoch in range(2):
            net.train()
            for (cats, nums), y in train:
                pred = net(cats, nums)  #! cats, nums => nums, cats
                loss = mse(pred, y)
                opt.zero_grad()
                loss.backward()
                opt.step()
            net.eval()
            with torch.no_grad():
                total = sum(mse(net(c, n), y).item() * len(y) for (c, n), y in val)
            if stop(total):
                break
    reveal_type(pred.dim())
    reveal_type(net(torch.zeros(4, 2, dtype=torch.long), torch.rand(4, 6)))


if __name__ == "__main__":
    main()

"""DeepFM on a click log: categorical columns from a dictionary of cardinalities, wide and deep parts."""
import argparse
import random
from collections import OrderedDict

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset, random_split

CARDINALITIES = {"site": 40, "device": 7, "hour": 24, "banner": 5, "region": 113}
DENSE = ["age", "price", "clicks"]


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--dim", type=int, default=8)
    p.add_argument("--hidden", type=int, nargs="+", default=[64, 32])
    p.add_argument("--dropout", type=float, default=0.2)
    p.add_argument("--batch-size", type=int, default=48)
    p.add_argument("--epochs", type=int, default=2)
    return p.parse_args()


def make_log(n=500, seed=0):
    rng = np.random.default_rng(seed)
    cats = np.stack([rng.integers(0, c, size=n) for c in CARDINALITIES.values()], axis=1)
    dense = rng.normal(size=(n, len(DENSE))).astype(np.float32)
    label = (dense.sum(1) + 0.1 * cats[:, 1] > 0.3).astype(np.float32)
    return torch.from_numpy(cats).long(), torch.from_numpy(dense), torch.from_numpy(label)


class FeatureEmbedding(nn.Module):
    def __init__(self, cardinalities, dim):
        super().__init__()
        self.tables = nn.ModuleDict({name: nn.Embedding(size, dim) for name, size in cardinalities.items()})

    def forward(self, cats):
        columns = [self.tables[name](cats[:, i]) for i, name in enumerate(self.tables)]
        return torch.stack(columns, dim=1)  #! dim=1 => dim=2


class FactorizationMachine(nn.Module):
    def forward(self, x):
        square_of_sum = x.sum(dim=1) ** 2
        sum_of_square = (x ** 2).sum(dim=1)
        return 0.5 * (square_of_sum - sum_of_square).sum(1, keepdim=True)


def mlp(sizes, dropout):
    layers = OrderedDict()
    for i, (a, b) in enumerate(zip(sizes[:-1], sizes[1:])):
        layers[f"fc{i}"] = nn.Linear(a, b)
        layers[f"bn{i}"] = nn.BatchNorm1d(b)
        layers[f"act{i}"] = nn.ReLU(inplace=True)
        if dropout:
            layers[f"drop{i}"] = nn.Dropout(dropout)
    layers["out"] = nn.Linear(sizes[-1], 1)  #! sizes[-1] => sizes[-2]
    return nn.Sequential(layers)


class DeepFM(nn.Module):
    def __init__(self, cardinalities, n_dense, dim, hidden, dropout):
        super().__init__()
        self.embed = FeatureEmbedding(cardinalities, dim)
        self.first = FeatureEmbedding(cardinalities, 1)
        self.fm = FactorizationMachine()
        self.deep = mlp([len(cardinalities) * dim + n_dense] + list(hidden), dropout)  #! + n_dense => - n_dense
        self.linear = nn.Linear(n_dense, 1)

    def forward(self, cats, dense):
        e = self.embed(cats)
        reveal_type(e)
        linear = self.first(cats).sum(dim=1) + self.linear(dense)
        deep = self.deep(torch.cat([e.flatten(1), dense], dim=-1))
        return (linear + self.fm(e) + deep).squeeze(-1)


def evaluate(model, loader):
    model.eval()
    scores, labels = [], []
    with torch.no_grad():
        for cats, dense, y in loader:
            scores.append(torch.sigmoid(model(cats, dense)))
            labels.append(y)
    s, y = torch.cat(scores), torch.cat(labels)
    reveal_type(s)
    order = torch.argsort(s, descending=True)
    ranked = y[order]
    hits = ranked.cumsum(0) / torch.arange(1, len(ranked) + 1)
    return hits.mean().item(), F.binary_cross_entropy(s, y).item()


def main():
    args = parse()
    torch.manual_seed(0)
    random.seed(0)
    data = TensorDataset(*make_log())
    train, valid = random_split(data, [400, len(data) - 400])
    loader = DataLoader(train, batch_size=args.batch_size, shuffle=True)
    valid_loader = DataLoader(valid, batch_size=args.batch_size * 2)
    model = DeepFM(CARDINALITIES, len(DENSE), args.dim, args.hidden, args.dropout)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-5)
    for epoch in range(args.epochs):
        model.train()
        for cats, dense, y in loader:
            optimizer.zero_grad()
            logits = model(cats, dense)
            loss = F.binary_cross_entropy_with_logits(logits, y)  #! logits, y => logits, y.unsqueeze(1)
            loss.backward()
            optimizer.step()
        reveal_type(logits)
        auc, bce = evaluate(model, valid_loader)
        print(f"epoch {epoch} loss {loss.item():.3f} rank {auc:.3f} bce {bce:.3f}")


if __name__ == "__main__":
    main()

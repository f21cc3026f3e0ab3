"""Tables with pandas: categories and numbers, splits by group, embeddings per column, a transformer over columns."""
import io
import os
import tempfile

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, Subset


def make_csv(path, n=120, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({
        "age": rng.integers(18, 80, n), "income": rng.normal(50, 10, n).round(2), "hours": rng.uniform(0, 60, n),
        "job": rng.choice(["clerk", "smith", "baker"], n), "city": rng.choice(list("ABCDE"), n), "label": rng.integers(0, 2, n),
    })
    frame.loc[frame.index % 11 == 0, "income"] = np.nan
    frame.to_csv(path, index=False)


NUMERIC = ["age", "income", "hours"]
CATEGORICAL = ["job", "city"]


class Table(Dataset):
    def __init__(self, path, numeric=NUMERIC, categorical=CATEGORICAL, target="label"):
        df = pd.read_csv(path)
        df[numeric] = df[numeric].fillna(df[numeric].mean())
        df[numeric] = (df[numeric] - df[numeric].mean()) / df[numeric].std()
        for col in categorical:
            df[col] = df[col].astype("category")
        self.cardinalities = [len(df[col].cat.categories) for col in categorical]
        self.x_num = torch.tensor(df[numeric].values, dtype=torch.float32)
        self.x_cat = torch.tensor(np.stack([df[col].cat.codes.values for col in categorical], 1).astype(np.int64))  #! for col in categorical], 1) => for col in categorical], 0)
        self.y = torch.from_numpy(df[target].to_numpy(dtype=np.float32))
        self.groups = df["city"].cat.codes.to_numpy()

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return self.x_num[i], self.x_cat[i], self.y[i]


class FTTransformer(nn.Module):
    def __init__(self, n_num, cards, dim=16, depth=2, heads=4):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.randn(n_num, dim)), nn.Parameter(torch.zeros(n_num, dim))  #! torch.zeros(n_num, dim) => torch.zeros(dim, n_num)
        self.embeds = nn.ModuleList([nn.Embedding(c + 1, dim) for c in cards])
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        layer = nn.TransformerEncoderLayer(dim, heads, 2 * dim, batch_first=True, dropout=0.1)
        self.blocks = nn.TransformerEncoder(layer, depth)
        self.out = nn.Sequential(nn.LayerNorm(dim), nn.ReLU(), nn.Linear(dim, 1))

    def forward(self, x_num, x_cat):
        numbers = x_num.unsqueeze(-1) * self.weight + self.bias
        categories = torch.stack([e(x_cat[:, i]) for i, e in enumerate(self.embeds)], dim=1)  #! dim=1) => dim=2)
        x = torch.cat([self.cls.expand(len(x_num), -1, -1), numbers, categories], dim=1)
        return self.out(self.blocks(x)[:, 0]).squeeze(-1)


def auc(scores, labels):
    order = torch.argsort(scores)
    ranks = torch.empty_like(scores)
    ranks[order] = torch.arange(1, len(scores) + 1, dtype=scores.dtype)
    pos = labels == 1
    return (ranks[pos].sum() - pos.sum() * (pos.sum() + 1) / 2) / (pos.sum() * (~pos).sum()).clamp(min=1)


def main():
    path = os.path.join(tempfile.mkdtemp(), "table.csv")
    make_csv(path)
    data = Table(path)
    held = data.groups == 0
    train = Subset(data, np.flatnonzero(~held).tolist())
    valid = Subset(data, np.where(held)[0].tolist())
    loader = DataLoader(train, batch_size=32, shuffle=True)
    model = FTTransformer(len(NUMERIC), data.cardinalities)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for epoch in range(2):
        model.train()
        for x_num, x_cat, y in loader:
            logits = model(x_num, x_cat)
            loss = F.binary_cross_entropy_with_logits(logits, y)  #! logits, y) => logits, y.unsqueeze(1))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        model.eval()
        scores, labels = [], []
        with torch.no_grad():
            for x_num, x_cat, y in DataLoader(valid, batch_size=16):
                scores.append(torch.sigmoid(model(x_num, x_cat)))
                labels.append(y)
        score = auc(torch.cat(scores), torch.cat(labels))
    reveal_type(score)
    reveal_type(x_num[:, 0] * 0 + logits.mean())
    reveal_type(data[0][1])
    frame = pd.read_csv(path, usecols=["age", "income", "label"]).dropna()
    features = frame.drop(columns=["label"]).to_numpy()
    linear = nn.Linear(features.shape[1], 1)
    reveal_type(linear(torch.from_numpy(features).float()).shape[1])
    table = pd.DataFrame(np.zeros((6, 4)), columns=list("wxyz"))
    reveal_type(torch.tensor(table.values))
    reveal_type(torch.as_tensor(table[["w", "y"]].to_numpy()))
    reveal_type(torch.tensor(table["x"].tolist()))
    joined = pd.concat([table, table.iloc[:2]], ignore_index=True)
    reveal_type(torch.from_numpy(joined.values) @ torch.ones(4, 3, dtype=torch.float64))  #! torch.ones(4, 3 => torch.ones(5, 3


if __name__ == "__main__":
    main()

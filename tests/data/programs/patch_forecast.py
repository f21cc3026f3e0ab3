"""Forecasting from a CSV by pandas: sliding windows, reversible normalization, a patch transformer, quantile loss, a GRU baseline."""
import os
import tempfile

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler


def write_csv(path, n=400):
    rng = np.random.default_rng(0)
    t = pd.date_range("2020-01-01", periods=n, freq="h")
    frame = pd.DataFrame({"date": t, "load": np.sin(np.arange(n) / 12), "temp": rng.normal(size=n), "wind": rng.normal(size=n), "OT": rng.normal(size=n).cumsum()})
    frame.to_csv(path, index=False)


class Windows(Dataset):
    def __init__(self, path, seq_len=48, pred_len=12, columns=("load", "temp", "wind", "OT"), flag="train"):
        frame = pd.read_csv(path)
        values = frame[list(columns)].values.astype(np.float32)
        border = int(len(values) * 0.7)
        values = values[:border] if flag == "train" else values[border - seq_len:]
        self.mean, self.std = values.mean(axis=0), values.std(axis=0)
        self.data = (values - self.mean) / self.std
        self.seq_len, self.pred_len = seq_len, pred_len

    def __len__(self):
        return len(self.data) - self.seq_len - self.pred_len + 1

    def __getitem__(self, i):
        mid = i + self.seq_len
        return self.data[i:mid], self.data[mid : mid + self.pred_len]


class RevIN(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.weight, self.bias = nn.Parameter(torch.ones(n)), nn.Parameter(torch.zeros(n))

    def forward(self, x, mode):
        if mode == "norm":
            self.mean = x.mean(dim=1, keepdim=True).detach()
            self.stdev = torch.sqrt(x.var(dim=1, keepdim=True, unbiased=False) + 1e-5).detach()
            return (x - self.mean) / self.stdev * self.weight + self.bias
        x = (x - self.bias.unsqueeze(-1)) / self.weight.unsqueeze(-1)
        return x * self.stdev.transpose(1, 2) + self.mean.transpose(1, 2)


class PatchTST(nn.Module):
    def __init__(self, channels, seq_len, pred_len, patch=8, stride=4, dim=32, quantiles=(0.1, 0.5, 0.9)):
        super().__init__()
        self.patch, self.stride, self.q = patch, stride, len(quantiles)
        self.n = (seq_len - patch) // stride + 2
        self.pad = nn.ReplicationPad1d((0, stride))
        self.revin = RevIN(channels)
        self.project = nn.Linear(patch, dim)
        self.pos = nn.Parameter(torch.zeros(1, self.n, dim))
        layer = nn.TransformerEncoderLayer(dim, nhead=4, dim_feedforward=64, dropout=0.1, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, num_layers=2, enable_nested_tensor=False)
        self.head = nn.Linear(self.n * dim, pred_len * self.q)  #! self.n * dim => (self.n - 1) * dim

    def forward(self, x):
        b, _, c = x.shape
        x = self.revin(x, "norm").transpose(1, 2)
        x = self.pad(x).unfold(dimension=-1, size=self.patch, step=self.stride)
        x = self.project(x).flatten(0, 1) + self.pos  #! .flatten(0, 1) => .flatten(1, 2)
        z = self.encoder(x).reshape(b, c, -1)
        y = self.head(z).view(b, c, -1, self.q)
        return torch.stack([self.revin(y[..., i], "denorm") for i in range(self.q)], dim=-1).transpose(1, 2)


class GRUForecaster(nn.Module):
    def __init__(self, channels, hidden, pred_len):
        super().__init__()
        self.gru = nn.GRU(channels, hidden, 2, batch_first=True)
        self.cell = nn.GRUCell(channels, hidden)
        self.out, self.pred_len = nn.Linear(hidden, channels), pred_len

    def forward(self, x):
        _, h = self.gru(x)
        state, last, steps = h[-1], x[:, -1], []
        for _ in range(self.pred_len):
            state = self.cell(last, state)
            last = self.out(state)
            steps.append(last)
        return torch.stack(steps, dim=1)


class QuantileLoss(nn.Module):
    def __init__(self, quantiles):
        super().__init__()
        self.register_buffer("q", torch.tensor(quantiles))

    def forward(self, pred, target):
        err = target.unsqueeze(-1) - pred  #! target.unsqueeze(-1) => target.unsqueeze(1)
        return torch.maximum(self.q * err, (self.q - 1) * err).mean()


path = os.path.join(tempfile.mkdtemp(), "series.csv")
write_csv(path)
train, test = Windows(path), Windows(path, flag="test")
sampler = BatchSampler(RandomSampler(train), batch_size=32, drop_last=True)
loader = DataLoader(train, batch_sampler=sampler)
model, baseline = PatchTST(4, 48, 12), GRUForecaster(4, 20, 12)
loss_fn = QuantileLoss([0.1, 0.5, 0.9])
opt = torch.optim.Adam([*model.parameters(), *baseline.parameters()], lr=1e-3)
for x, y in loader:
    pred = model(x)
    loss = loss_fn(pred, y) + nn.functional.l1_loss(baseline(x), y)
    opt.zero_grad()
    loss.backward()
    opt.step()
    break
reveal_type(x)
reveal_type(y)
reveal_type(pred)
model.eval()
preds, trues = [], []
with torch.no_grad():
    for x, y in DataLoader(test, batch_size=16):
        preds.append(model(x)[..., 1].numpy())
        trues.append(y.numpy())
preds, trues = np.concatenate(preds), np.concatenate(trues)
mae = np.abs(preds - trues).mean(axis=(0, 1))
reveal_type(mae)
scaled = trues * test.std + test.mean
ensemble = torch.from_numpy(scaled[:5]) + baseline(torch.zeros(5, 48, 4))  #! torch.zeros(5, 48, 4) => torch.zeros(6, 48, 4)
reveal_type(ensemble)

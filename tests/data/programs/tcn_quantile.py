"""A temporal convolutional network with weight normalisation forecasts quantiles of several series; scaling and windows in NumPy."""
from __future__ import annotations
import dataclasses
import logging
from typing import Iterator
import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils.parametrizations import weight_norm
from torch.utils.data import DataLoader, Dataset

log = logging.getLogger(__name__)


@dataclasses.dataclass(frozen=True)
class Config:
    series: int = 5
    length: int = 300
    history: int = 48
    horizon: int = 12
    covariates: int = 4
    channels: tuple[int, ...] = (16, 16, 24)
    kernel: int = 3
    quantiles: tuple[float, ...] = (0.1, 0.5, 0.9)
    batch: int = 32


class StandardScaler:
    def fit(self, x: np.ndarray) -> StandardScaler:
        self.mean_ = x.mean(axis=1, keepdims=True)  #! keepdims=True => keepdims=False
        self.scale_ = x.std(axis=1, keepdims=True) + 1e-8
        return self

    def transform(self, x):
        return (x - self.mean_) / self.scale_

    def fit_transform(self, x):
        return self.fit(x).transform(x)

    def inverse_transform(self, x, index):
        return x * self.scale_[index] + self.mean_[index]


def time_features(n: int) -> np.ndarray:
    t = np.arange(n)
    day, week = 2 * np.pi * t / 24, 2 * np.pi * t / 168
    return np.vstack([np.sin(day), np.cos(day), np.sin(week), np.cos(week)]).T  #! .T =>


class Windows(Dataset):
    def __init__(self, values: np.ndarray, features: np.ndarray, cfg: Config, train: bool):
        self.values, self.features, self.cfg = values.astype(np.float32), features.astype(np.float32), cfg
        split = int(values.shape[1] * 0.7)
        last = values.shape[1] - cfg.history - cfg.horizon
        starts = range(0, split - cfg.history - cfg.horizon) if train else range(split, last)
        self.index = [(s, t) for s in range(values.shape[0]) for t in starts]

    def __len__(self):
        return len(self.index)

    def __getitem__(self, i):
        s, t = self.index[i]
        mid, end = t + self.cfg.history, t + self.cfg.history + self.cfg.horizon
        past = np.column_stack([self.values[s, t:mid], self.features[t:mid]])  #! self.features[t:mid] => self.features[t:end]
        return past, self.features[mid:end], s, self.values[s, mid:end]


class Chomp1d(nn.Module):
    def __init__(self, chomp: int):
        super().__init__()
        self.chomp = chomp

    def forward(self, x: Tensor) -> Tensor:
        return x[:, :, :-self.chomp].contiguous()


class TemporalBlock(nn.Module):
    def __init__(self, cin, cout, kernel, dilation, dropout=0.1):
        super().__init__()
        padding = (kernel - 1) * dilation
        self.conv1 = weight_norm(nn.Conv1d(cin, cout, kernel, padding=padding, dilation=dilation))
        self.conv2 = weight_norm(nn.Conv1d(cout, cout, kernel, padding=padding, dilation=dilation))  #! cout, cout, kernel => cin, cout, kernel
        self.net = nn.Sequential(self.conv1, Chomp1d(padding), nn.ReLU(), nn.Dropout(dropout), self.conv2, Chomp1d(padding), nn.ReLU(), nn.Dropout(dropout))  #! self.conv2, Chomp1d(padding), => self.conv2, Chomp1d(padding + 1),
        self.downsample = nn.Conv1d(cin, cout, 1) if cin != cout else None  #! if cin != cout else None => if False else None

    def forward(self, x):
        res = x if self.downsample is None else self.downsample(x)
        return torch.relu(self.net(x) + res)


class Forecaster(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        cin = 1 + cfg.covariates
        blocks = []
        for i, cout in enumerate(cfg.channels):
            blocks.append(TemporalBlock(cin, cout, cfg.kernel, 2 ** i))
            cin = cout
        self.tcn = nn.Sequential(*blocks)
        self.embed = nn.Embedding(cfg.series, 6)
        self.decode = nn.Sequential(nn.Linear(cin + 6 + cfg.covariates, 32), nn.ELU(), nn.Linear(32, len(cfg.quantiles)))  #! cin + 6 + cfg.covariates => cin + 6

    def forward(self, past, future, series):
        h = self.tcn(past.transpose(1, 2))[:, :, -1]  #! past.transpose(1, 2) => past
        static = torch.cat([h, self.embed(series)], dim=-1)
        wide = static.unsqueeze(1).expand(-1, self.cfg.horizon, -1)  #! self.cfg.horizon => self.cfg.history
        out = self.decode(torch.cat([wide, future], dim=-1))
        return torch.cumsum(torch.cat([out[..., :1], nn.functional.softplus(out[..., 1:])], dim=-1), dim=-1)


def pinball(pred: Tensor, target: Tensor, quantiles) -> Tensor:
    q = torch.as_tensor(quantiles)
    error = target.unsqueeze(-1) - pred  #! target.unsqueeze(-1) => target
    return torch.maximum(q * error, (q - 1) * error).mean()


class EarlyStopping:
    def __init__(self, patience=3, delta=0.0):
        self.patience, self.delta, self.counter, self.best, self.stop, self.state = patience, delta, 0, None, False, None

    def __call__(self, score, model):
        if self.best is None or score < self.best - self.delta:
            self.best, self.counter = score, 0
            self.state = {k: v.clone() for k, v in model.state_dict().items()}
        else:
            self.counter += 1
            self.stop = self.counter >= self.patience


def main():
    logging.basicConfig(level=logging.INFO)
    cfg = Config()
    rng = np.random.default_rng(0)
    t = np.arange(cfg.length)
    phase = rng.uniform(0, 2 * np.pi, size=(cfg.series, 1))
    raw = np.sin(2 * np.pi * t / 24 + phase) + 0.1 * rng.standard_normal((cfg.series, cfg.length)).cumsum(1) * 0.1
    raw[rng.random(raw.shape) < 0.01] = np.nan
    raw = np.where(np.isnan(raw), np.nanmean(raw, axis=1)[:, None], raw)  #! [:, None] =>
    scaler = StandardScaler()
    values = scaler.fit_transform(raw)
    features = time_features(cfg.length)
    model = Forecaster(cfg)
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    stopper = EarlyStopping()
    train = DataLoader(Windows(values, features, cfg, True), cfg.batch, shuffle=True)
    valid = DataLoader(Windows(values, features, cfg, False), cfg.batch)
    for epoch in range(1):
        for step, (past, future, series, target) in enumerate(train):
            loss = pinball(model(past, future, series), target, cfg.quantiles)
            opt.zero_grad()
            loss.backward()
            opt.step()
            if step > 4:
                break
        model.eval()
        with torch.no_grad():
            batches = [(model(p, f, s), y, s) for p, f, s, y in valid]
        pred, target, series = (torch.cat(parts) for parts in zip(*batches))
        reveal_type(pred[0])
        stopper(pinball(pred, target, cfg.quantiles).item(), model)
        if stopper.stop:
            log.info("stopped")
            break
    median = pred[..., 1].numpy()
    restored = scaler.inverse_transform(median, series.numpy())
    covered = ((target >= pred[..., 0]) & (target <= pred[..., 2])).float().mean(0)  #! pred[..., 2] => pred[:, 2]
    reveal_type(covered)
    model.load_state_dict(stopper.state)
    reveal_type(model.tcn[0].conv1.weight)
    reveal_type(model(past, future, series[:past.size(0)])[0])
    reveal_type(values)


if __name__ == "__main__":
    main()

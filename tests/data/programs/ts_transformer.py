"""Forecasting with an encoder-decoder transformer: NumPy windows, time features, causal masks, greedy roll-out."""
import math
from dataclasses import dataclass
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, Subset


@dataclass(frozen=True)
class Config:
    features: int = 5
    d_model: int = 32
    heads: int = 4
    enc_layers: int = 2
    dec_layers: int = 1
    ff: int = 64
    context: int = 24
    horizon: int = 8
    dropout: float = 0.1


def synth(steps, features, seed=0):
    rng = np.random.default_rng(seed)
    t = np.arange(steps)
    waves = np.stack([np.sin(2 * np.pi * t / p) for p in np.linspace(10, 40, features)], axis=-1)
    return (waves + rng.normal(scale=0.1, size=waves.shape)).astype(np.float32)  #! size=waves.shape => size=(features, steps)


def time_features(n):
    t = torch.arange(n, dtype=torch.float32)
    return torch.stack([torch.sin(2 * math.pi * t / 24), torch.cos(2 * math.pi * t / 24)], dim=-1)


class SlidingWindow(Dataset):
    def __init__(self, series, cfg):
        self.series = torch.from_numpy(series)
        self.marks = time_features(len(series))
        self.cfg = cfg

    def __len__(self):
        return len(self.series) - self.cfg.context - self.cfg.horizon + 1

    def __getitem__(self, i):
        a, b = i + self.cfg.context, i + self.cfg.context + self.cfg.horizon
        return self.series[i:a], self.marks[i:a], self.series[a - 1:b - 1], self.marks[a - 1:b - 1], self.series[a:b]  #! self.series[a - 1:b - 1], => self.series[a - 1:b],


class PositionalEncoding(nn.Module):
    def __init__(self, d, length=500):
        super().__init__()
        pos = torch.arange(length).unsqueeze(1)
        div = torch.exp(torch.arange(0, d, 2) * (-math.log(10000.0) / d))
        pe = torch.zeros(length, 1, d)
        pe[:, 0, 0::2], pe[:, 0, 1::2] = torch.sin(pos * div), torch.cos(pos * div)  #! torch.sin(pos * div) => torch.sin(pos)
        self.register_buffer("pe", pe)

    def forward(self, x):
        return x + self.pe[:x.size(0)]


class Forecaster(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.enc_in = nn.Linear(cfg.features + 2, cfg.d_model)  #! cfg.features + 2 => cfg.features
        self.dec_in = nn.Linear(cfg.features + 2, cfg.d_model)
        self.pos = PositionalEncoding(cfg.d_model)
        layer = nn.TransformerEncoderLayer(cfg.d_model, cfg.heads, cfg.ff, cfg.dropout)
        self.encoder = nn.TransformerEncoder(layer, cfg.enc_layers, norm=nn.LayerNorm(cfg.d_model))
        self.decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(cfg.d_model, cfg.heads, cfg.ff, cfg.dropout), cfg.dec_layers)  #! nn.TransformerDecoderLayer(cfg.d_model, => nn.TransformerDecoderLayer(cfg.ff,
        self.out = nn.Linear(cfg.d_model, cfg.features)

    def encode(self, x, m):
        x = torch.cat([x, m], -1).transpose(0, 1)
        return self.encoder(self.pos(self.enc_in(x)))

    def decode(self, y, m, memory):
        y = torch.cat([y, m], -1).transpose(0, 1)
        mask = nn.Transformer.generate_square_subsequent_mask(y.size(0))  #! y.size(0) => y.size(1)
        h = self.decoder(self.pos(self.dec_in(y)), memory, tgt_mask=mask)
        return self.out(h).transpose(0, 1)

    def forward(self, x, xm, y, ym):
        return self.decode(y, ym, self.encode(x, xm))

    @torch.no_grad()
    def rollout(self, x, xm, ym):
        self.eval()
        memory = self.encode(x, xm)
        y = x[:, -1:]  #! x[:, -1:] => x[:, -1]
        for t in range(ym.size(1)):
            step = self.decode(y, ym[:, :t + 1], memory)
            y = torch.cat([y, step[:, -1:]], dim=1)  #! dim=1 => dim=2
        return y[:, 1:]


cfg = Config()
data = SlidingWindow(synth(200, cfg.features), cfg)
cut = int(0.8 * len(data))
train, test = Subset(data, range(cut)), Subset(data, range(cut, len(data)))
loader = DataLoader(train, 16, shuffle=True)
model = Forecaster(cfg)
opt = torch.optim.AdamW(model.parameters(), 1e-3)
warmup = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / 10))
for x, xm, y, ym, target in loader:
    pred = model(x, xm, y, ym)
    loss = nn.functional.huber_loss(pred, target)  #! pred, target => pred.transpose(0, 1), target
    opt.zero_grad()
    loss.backward()
    opt.step()
    warmup.step()
x, xm, y, ym, target = next(iter(DataLoader(test, 10)))
reveal_type(x)
reveal_type(model.encode(x, xm))
roll = model.rollout(x, xm, ym)
reveal_type(roll)
err = (roll - target).abs().mean(dim=(0, 2))
reveal_type(err)
smape = (2 * (roll - target).abs() / (roll.abs() + target.abs() + 1e-6)).mean(-1)
reveal_type(smape)
reveal_type(model.pos.pe)

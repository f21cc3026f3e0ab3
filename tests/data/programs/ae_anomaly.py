"""Anomaly detection in sensors: convolutional and LSTM autoencoders with one base class, thresholding, correlation, PCA."""
import argparse
from abc import abstractmethod
from enum import Enum
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset


class Kind(Enum):
    CONV = "conv"
    LSTM = "lstm"
    VAR = "var"


def windows(series, length, step):
    n = (len(series) - length) // step + 1
    index = np.arange(length)[None, :] + step * np.arange(n)[:, None]  #! np.arange(n)[:, None] => np.arange(n)
    return series[index]


class AutoEncoder(nn.Module):
    kind: Kind

    def __init__(self, length, features, latent):
        super().__init__()
        self.length, self.features, self.latent = length, features, latent
        self.build()

    @abstractmethod
    def build(self): ...

    @abstractmethod
    def encode(self, x): ...

    @abstractmethod
    def decode(self, z): ...

    def forward(self, x):
        z = self.encode(x)
        return self.decode(z), z

    def score(self, x):
        return ((self(x)[0] - x) ** 2).mean(dim=(1, 2))


class ConvAE(AutoEncoder):
    kind = Kind.CONV

    def build(self):
        self.enc = nn.Sequential(nn.Conv1d(self.features, 16, 5, 2, 2), nn.ReLU(), nn.Conv1d(16, 32, 5, 2, 2), nn.ReLU())
        self.to_z = nn.Linear(32 * (self.length // 4), self.latent)  #! self.length // 4 => self.length // 2
        self.from_z = nn.Linear(self.latent, 32 * (self.length // 4))
        self.dec = nn.Sequential(nn.ConvTranspose1d(32, 16, 4, 2, 1), nn.ReLU(), nn.ConvTranspose1d(16, self.features, 4, 2, 1))  #! nn.ConvTranspose1d(16, self.features, 4, 2, 1) => nn.ConvTranspose1d(16, self.features, 5, 2, 1)

    def encode(self, x):
        return self.to_z(self.enc(x.transpose(1, 2)).flatten(1))  #! x.transpose(1, 2) => x

    def decode(self, z):
        h = self.from_z(z).unflatten(1, (32, -1))  #! (32, -1) => (30, -1)
        return self.dec(h).transpose(1, 2)


class LSTMAE(AutoEncoder):
    kind = Kind.LSTM

    def build(self):
        self.enc = nn.LSTM(self.features, self.latent, batch_first=True)
        self.dec = nn.LSTM(self.latent, 24, num_layers=2, batch_first=True)
        self.out = nn.Linear(24, self.features)

    def encode(self, x):
        _, (h, _) = self.enc(x)
        return h[-1]  #! h[-1] => h

    def decode(self, z):
        y, _ = self.dec(z.unsqueeze(1).repeat(1, self.length, 1))  #! .repeat(1, self.length, 1) => .repeat(1, 1, self.length)
        return self.out(y)


class VarAE(ConvAE):
    kind = Kind.VAR

    def build(self):
        super().build()
        self.logvar = nn.Linear(32 * (self.length // 4), self.latent)

    def encode(self, x):
        h = self.enc(x.transpose(1, 2)).flatten(1)
        self.mu, self.lv = self.to_z(h), self.logvar(h)
        return self.mu + torch.exp(self.lv / 2) * torch.randn_like(self.mu)

    def kl(self):
        return -0.5 * (1 + self.lv - self.mu ** 2 - self.lv.exp()).sum(1).mean()


def make(kind, **kw):
    return {cls.kind: cls for cls in (ConvAE, LSTMAE, VarAE)}[Kind(kind)](**kw)


parser = argparse.ArgumentParser()
parser.add_argument("--length", type=int, default=32, choices=[16, 32, 64])
parser.add_argument("--latent", type=int, default=6)
args = parser.parse_args()
series = np.cumsum(np.random.default_rng(0).normal(size=(400, 3)), axis=0)
series = ((series - series.mean(0)) / series.std(0)).astype(np.float32)
data = windows(series, args.length, 4)
reveal_type(data)
train = TensorDataset(torch.from_numpy(data[:80]))
for kind in Kind:
    model = make(kind.value, length=args.length, features=3, latent=args.latent)  #! features=3 => features=4
    opt = torch.optim.Adam(model.parameters(), 1e-3)
    for (x,) in DataLoader(train, 20, shuffle=True):
        y, z = model(x)
        loss = nn.functional.mse_loss(y, x)
        if isinstance(model, VarAE):
            loss = loss + 1e-3 * model.kl()
        opt.zero_grad()
        loss.backward()
        opt.step()
    reveal_type(z)
    with torch.no_grad():
        scores = torch.cat([model.score(b) for b in torch.from_numpy(data).split(32)])
    reveal_type(scores)
    threshold = torch.quantile(scores, 0.95)
    flags = scores > threshold
corr = np.corrcoef(series.T)  #! series.T => series.T[0]
reveal_type(corr)
u, s, vt = np.linalg.svd(series - series.mean(0), full_matrices=False)
pcs = (series - series.mean(0)) @ vt.T[:, :2]  #! vt.T[:, :2] => vt[:2]
reveal_type(pcs)
recon = pcs @ vt[:2]
err = np.square(series - recon).sum(axis=1)
reveal_type(err)
top = np.argsort(err)[::-1][:5]
reveal_type(series[top])

"""Sensor fusion: chunks by tensor_split and unfold, repeat_interleave to a common rate, GroupNorm stacks from a config, ConcatDataset of recordings."""
from dataclasses import dataclass, field
from typing import Dict, Tuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset


@dataclass(frozen=True)
class Stream:
    channels: int
    rate: int


@dataclass
class Config:
    streams: Dict[str, Stream] = field(default_factory=lambda: {
        "imu": Stream(6, 50), "ecg": Stream(1, 100), "temp": Stream(2, 25)})
    seconds: int = 4
    width: int = 24
    kernel: int = 5
    classes: int = 7

    @property
    def top_rate(self):
        return max(s.rate for s in self.streams.values())


class Recording(Dataset):
    def __init__(self, cfg, subject, minutes=1):
        self.cfg = cfg
        rng = np.random.default_rng(subject)
        total = 60 * minutes
        self.data = {n: rng.normal(size=(total * s.rate, s.channels)).astype(np.float32) for n, s in cfg.streams.items()}
        self.labels = rng.integers(0, cfg.classes, size=total // cfg.seconds)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        out = {}
        for name, s in self.cfg.streams.items():
            n = self.cfg.seconds * s.rate
            out[name] = torch.from_numpy(self.data[name][i * n:(i + 1) * n]).T  #! .T => .unsqueeze(0)
        return out, torch.tensor(self.labels[i])


class Branch(nn.Module):
    def __init__(self, stream, cfg):
        super().__init__()
        self.repeat = cfg.top_rate // stream.rate
        self.conv = nn.Sequential(
            nn.Conv1d(stream.channels, cfg.width, cfg.kernel, padding=cfg.kernel // 2),  #! padding=cfg.kernel // 2 => padding=0
            nn.GroupNorm(4, cfg.width), nn.SiLU(),
            nn.Conv1d(cfg.width, cfg.width, cfg.kernel, padding="same", groups=cfg.width))  #! groups=cfg.width => groups=cfg.kernel

    def forward(self, x):
        return self.conv(x).repeat_interleave(self.repeat, dim=-1)  #! dim=-1 => dim=1


class Fusion(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.branches = nn.ModuleDict({n: Branch(s, cfg) for n, s in cfg.streams.items()})
        self.gates = nn.ParameterDict({n: nn.Parameter(torch.zeros(cfg.width, 1)) for n in cfg.streams})  #! torch.zeros(cfg.width, 1) => torch.zeros(cfg.width)
        self.token = nn.Linear(cfg.width * cfg.top_rate, 64)  #! cfg.width * cfg.top_rate => cfg.width
        self.rnn = nn.GRU(64, 32, batch_first=True)
        self.head = nn.Linear(32, cfg.classes)

    def forward(self, streams):
        parts = [torch.sigmoid(self.gates[n]) * branch(streams[n]) for n, branch in self.branches.items()]
        x = torch.stack(parts).sum(0)  #! torch.stack(parts).sum(0) => torch.stack(parts).sum(1)
        seconds = torch.tensor_split(x, self.cfg.seconds, dim=2)  #! self.cfg.seconds, dim=2 => self.cfg.seconds, dim=1
        tokens = torch.stack([self.token(s.flatten(1)) for s in seconds], dim=1)
        out, h = self.rnn(tokens)
        return self.head(h.squeeze(0)), out


def leave_one_out(sets, k):
    train = ConcatDataset([s for i, s in enumerate(sets) if i != k])
    return train, sets[k]


def main():
    cfg = Config()
    subjects = [Recording(cfg, s) for s in range(4)]
    train, test = leave_one_out(subjects, 2)
    print(len(train), train.cumulative_sizes)
    half = Subset(train, range(0, len(train), 2))
    loader = DataLoader(half, batch_size=6, shuffle=True, drop_last=True)
    model = Fusion(cfg)
    opt = torch.optim.RMSprop(model.parameters(), lr=1e-3)
    for streams, y in loader:
        logits, tokens = model(streams)
        smooth = F.one_hot(y, cfg.classes).float() * 0.9 + 0.1 / cfg.classes  #! F.one_hot(y, cfg.classes) => F.one_hot(y, cfg.classes + 1)
        loss = -(smooth * logits.log_softmax(1)).sum(1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
    reveal_type(streams["imu"])
    reveal_type(tokens)
    confusion = torch.zeros(cfg.classes, cfg.classes, dtype=torch.long)
    everything = []
    with torch.no_grad():
        for streams, y in DataLoader(test, batch_size=4):
            pred = model(streams)[0].argmax(1)
            everything.append(pred)
            pairs = torch.bincount(y * cfg.classes + pred, minlength=cfg.classes ** 2)
            confusion += pairs.view(cfg.classes, cfg.classes)  #! pairs.view(cfg.classes, cfg.classes) => pairs.view(cfg.classes, -1, 1)
    reveal_type(confusion)
    reveal_type(torch.cat(everything))
    wins = torch.cat(everything).unfold(0, 5, 5)
    reveal_type(wins)
    recall = confusion.diag() / confusion.sum(1).clamp(min=1)
    chunks = torch.randn(10, 3).tensor_split((2, 7))
    reveal_type(chunks[1])
    print(recall @ torch.ones(cfg.classes), chunks[0] @ torch.ones(3, 1))  #! torch.ones(cfg.classes) => torch.ones(cfg.width)


if __name__ == "__main__":
    main()

"""Activity recognition from several wearable sensors: recordings in long form, grouped and resampled with pandas, and a model for each group of channels."""
import argparse
import itertools
import logging
import math
import tempfile
from collections import Counter, OrderedDict
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import torch
import torchmetrics
from scipy import signal
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset, WeightedRandomSampler

log = logging.getLogger(__name__)
CHANNELS = OrderedDict(acc=["ax", "ay", "az"], gyro=["gx", "gy", "gz"], heart=["bpm"])
LABELS = ("walk", "run", "sit", "climb")
RATE, WINDOW, STRIDE = 20, 64, 32


def write_recordings(folder: Path, subjects=3):
    rng = np.random.default_rng(0)
    for subject in range(subjects):
        rows = 400 + 50 * subject
        frame = pd.DataFrame(rng.normal(size=(rows, 7)), columns=list(itertools.chain(*CHANNELS.values())))
        frame["t"] = np.arange(rows) / RATE
        frame["activity"] = np.repeat(rng.choice(LABELS, math.ceil(rows / 100)), 100)[:rows]
        frame.to_csv(folder / f"subject{subject}.csv", index=False)


def lowpass(x, cutoff=5.0, order=3):
    b, a = signal.butter(order, cutoff / (RATE / 2))
    return signal.filtfilt(b, a, x, axis=0).copy()


@dataclass(frozen=True)
class Recording:
    subject: int
    values: np.ndarray
    labels: np.ndarray

    @classmethod
    def read(cls, path: Path):
        frame = pd.read_csv(path).sort_values("t")
        columns = [c for group in CHANNELS.values() for c in group]
        values = lowpass(frame[columns].to_numpy(dtype=np.float64))
        labels = frame["activity"].map({name: i for i, name in enumerate(LABELS)}).to_numpy()
        return cls(int(path.stem[-1]), values.astype(np.float32), labels.astype(np.int64))


class Windows(Dataset):
    def __init__(self, recording: Recording, window=WINDOW, stride=STRIDE):
        self.recording, self.window = recording, window
        self.starts = range(0, len(recording.values) - window + 1, stride)

    def __len__(self):
        return len(self.starts)

    def __getitem__(self, i):
        start = self.starts[i]
        chunk = self.recording.values[start:start + self.window]
        label = np.bincount(self.recording.labels[start:start + self.window], minlength=len(LABELS)).argmax()
        parts, offset = {}, 0
        for name, columns in CHANNELS.items():
            parts[name] = torch.from_numpy(chunk[:, offset:offset + len(columns)]).T  #! .T => .T[:1]
            offset += len(columns)
        return parts, int(label), self.recording.subject


class Collate:
    def __init__(self, noise=0.0):
        self.noise = noise

    def __call__(self, batch):
        parts, labels, subjects = zip(*batch)
        joined = {name: torch.stack([p[name] for p in parts]) for name in parts[0]}
        if self.noise:
            joined = {name: x + self.noise * torch.randn_like(x) for name, x in joined.items()}
        return joined, torch.tensor(labels), torch.tensor(subjects)  #! torch.tensor(labels) => torch.tensor(labels).unsqueeze(1)


def balanced_sampler(dataset):
    labels = [dataset[i][1] for i in range(len(dataset))]
    counts = Counter(labels)
    return WeightedRandomSampler([1 / counts[label] for label in labels], num_samples=len(labels))


class Branch(nn.Module):
    def __init__(self, channels, widths, kernel=5):
        super().__init__()
        layers = OrderedDict()
        for i, (a, b) in enumerate(zip((channels, *widths), widths)):
            layers[f"conv{i}"] = nn.Conv1d(a, b, kernel, stride=2, padding=kernel // 2)
            layers[f"norm{i}"] = nn.BatchNorm1d(b)  #! nn.BatchNorm1d(b) => nn.BatchNorm1d(a)
            layers[f"act{i}"] = nn.ReLU()
        self.net = nn.Sequential(layers)
        self.out_channels = widths[-1]

    def forward(self, x):
        return self.net(x)


class SensorFusion(nn.Module):
    def __init__(self, hp):
        super().__init__()
        self.branches = nn.ModuleDict({name: Branch(len(columns), hp.widths) for name, columns in CHANNELS.items()})
        width = sum(branch.out_channels for branch in self.branches.values())
        self.gru = nn.GRU(width, hp.hidden, num_layers=2, dropout=0.1, bidirectional=True, batch_first=True)  #! nn.GRU(width, => nn.GRU(hp.widths[-1],
        self.pool = nn.Parameter(torch.randn(2 * hp.hidden))  #! torch.randn(2 * hp.hidden) => torch.randn(hp.hidden)
        self.head = nn.Linear(2 * hp.hidden, hp.classes)
        self.subject_head = nn.Sequential(nn.Flatten(), nn.Linear(2 * hp.hidden, hp.subjects))

    def forward(self, parts):
        features = [branch(parts[name]) for name, branch in self.branches.items()]
        x = torch.cat(features, dim=1).transpose(1, 2)  #! dim=1).transpose(1, 2) => dim=2).transpose(1, 2)
        states, _ = self.gru(x)
        weights = torch.softmax(states @ self.pool, dim=1)
        pooled = torch.einsum("bt,btd->bd", weights, states)  #! "bt,btd->bd" => "bt,bdt->bd"
        return self.head(pooled), self.subject_head(pooled.detach())


def run(model, loader, metrics, optimizer=None):
    model.train(optimizer is not None)
    metrics.reset()
    with torch.set_grad_enabled(optimizer is not None):
        for parts, labels, subjects in loader:
            logits, who = model(parts)
            loss = nn.functional.cross_entropy(logits, labels, label_smoothing=0.05) + 0.1 * nn.functional.cross_entropy(who, subjects)
            metrics.update(logits.softmax(-1), labels)  #! logits.softmax(-1), labels => logits.softmax(-1), labels[1:]
            if optimizer is not None:
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
    return metrics.compute(), logits


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--hidden", type=int, default=24)
    parser.add_argument("--batch-size", type=int, default=8)
    parser.add_argument("--widths", type=int, nargs="+", default=[8, 16])
    args = parser.parse_args()
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_recordings(folder)
        recordings = [Recording.read(path) for path in sorted(folder.glob("*.csv"))]
    train = ConcatDataset([Windows(r) for r in recordings[:-1]])
    held = Windows(recordings[-1], stride=WINDOW)
    hp = SimpleNamespace(widths=tuple(args.widths), hidden=args.hidden, classes=len(LABELS), subjects=len(recordings))
    model = SensorFusion(hp)
    metrics = torchmetrics.MetricCollection({
        "acc": torchmetrics.Accuracy(task="multiclass", num_classes=len(LABELS)),  #! num_classes=len(LABELS)) => num_classes=len(LABELS) + 1)
        "matrix": torchmetrics.ConfusionMatrix(task="multiclass", num_classes=len(LABELS)),
    })
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    stats, _ = run(model, DataLoader(train, args.batch_size, sampler=balanced_sampler(train), collate_fn=Collate(0.01)), metrics, optimizer)
    stats, logits = run(model, DataLoader(held, args.batch_size, collate_fn=Collate()), metrics)
    reveal_type(stats["matrix"])
    recall = stats["matrix"].diag() / stats["matrix"].sum(1).clamp(min=1)  #! stats["matrix"].sum(1) => stats["matrix"][:, 1:].sum(0)
    log.info("recall %s", dict(zip(LABELS, recall.tolist())))
    probe = {name: torch.zeros(2, len(columns), WINDOW) for name, columns in CHANNELS.items()}
    reveal_type(model(probe)[0])


if __name__ == "__main__":
    main()

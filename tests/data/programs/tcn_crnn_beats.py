"""Beat tracking from spectrograms: convolutional front end, dilated residual stack, bidirectional GRU, peak picking; homework style with classes for everything."""
import math
import random
from collections import namedtuple
from itertools import islice

import torch
from torch import nn, optim
from torch.utils.data import IterableDataset, DataLoader

Example = namedtuple("Example", "spec beats tempo")
FPS, BANDS, TEMPI = 50, 40, 30


def synth(seconds, bpm):
    frames = int(seconds * FPS)
    period = 60 * FPS / bpm
    spec = torch.rand(BANDS, frames) * 0.1
    beats = torch.zeros(frames)
    t = 0.0
    while t < frames:
        beats[int(t)] = 1
        spec[:, int(t)] += 1
        t += period
    return Example(spec, beats, torch.tensor(min(TEMPI - 1, int((bpm - 60) / 4))))


class Stream(IterableDataset):
    def __init__(self, seconds=4, seed=0):
        self.seconds = seconds
        self.random = random.Random(seed)

    def __iter__(self):
        while True:
            yield synth(self.seconds, self.random.uniform(60, 180))


class FrontEnd(nn.Module):
    def __init__(self, filters=12, bands=BANDS):
        super().__init__()
        self.convs = nn.Sequential(
            nn.Conv2d(1, filters, (3, 3), padding=(0, 1)), nn.ELU(), nn.MaxPool2d((3, 1)),
            nn.Conv2d(filters, filters, (3, 3), padding=(0, 1)), nn.ELU(), nn.MaxPool2d((3, 1)),  #! padding=(0, 1)), nn.ELU(), nn.MaxPool2d((3, 1)) => padding=(0, 0)), nn.ELU(), nn.MaxPool2d((3, 1))
        )
        left = bands
        for _ in range(2):
            left = (left - 2) // 3
        self.squeeze = nn.Conv2d(filters, filters, (left, 1))  #! (left, 1) => (left - 2, 1)

    def forward(self, x):
        x = self.squeeze(self.convs(x.unsqueeze(1)))  #! x.unsqueeze(1) => x.unsqueeze(2)
        return x.squeeze(2)


class Dilated(nn.Module):
    def __init__(self, channels, dilation, kernel=5):
        super().__init__()
        pad = dilation * (kernel - 1) // 2
        self.paths = nn.ModuleList([nn.Conv1d(channels, channels, kernel, padding=pad * k, dilation=dilation * k) for k in (1, 2)])
        self.mix = nn.Conv1d(2 * channels, channels, 1)  #! nn.Conv1d(2 * channels, channels, 1) => nn.Conv1d(channels, channels, 1)

    def forward(self, x):
        y = torch.cat([path(x) for path in self.paths], dim=1)
        y = torch.dropout(nn.functional.elu(y), 0.1, self.training)
        y = self.mix(y)
        return x + y, y


class BeatNet(nn.Module):
    def __init__(self, filters=12, layers=4, hidden=16):
        super().__init__()
        self.front = FrontEnd(filters)
        self.stack = nn.ModuleList(Dilated(filters, 2 ** i) for i in range(layers))
        self.gru = nn.GRU(filters, hidden, batch_first=True, bidirectional=True)
        self.beat = nn.Linear(2 * hidden, 1)  #! 2 * hidden => hidden
        self.tempo = nn.Sequential(nn.AdaptiveAvgPool1d(1), nn.Flatten(), nn.Linear(filters, TEMPI))

    def forward(self, x):
        x = self.front(x)
        skips = 0
        for block in self.stack:
            x, skip = block(x)
            skips = skips + skip
        h, _ = self.gru(x.transpose(1, 2))  #! x.transpose(1, 2) => x
        return self.beat(h).squeeze(-1), self.tempo(skips)

    @property
    def size(self):
        return sum(math.prod(p.shape) for p in self.parameters())


def widen(target):
    kernel = torch.tensor([0.25, 0.5, 1.0, 0.5, 0.25])
    out = nn.functional.conv1d(target.unsqueeze(1), kernel.view(1, 1, -1), padding=2)  #! target.unsqueeze(1) => target.unsqueeze(2)
    return out.squeeze(1).clamp(max=1)


class Loss(nn.Module):
    def __init__(self, weight=0.1):
        super().__init__()
        self.beat, self.tempo, self.weight = nn.BCEWithLogitsLoss(pos_weight=torch.tensor(4.0)), nn.CrossEntropyLoss(label_smoothing=0.1), weight

    def forward(self, output, batch):
        beat, tempo = output
        return self.beat(beat, widen(batch.beats)) + self.weight * self.tempo(tempo, batch.tempo)  #! self.beat(beat, widen(batch.beats)) => self.beat(beat, widen(batch.beats)[:, ::2])


def pick(activation, radius=3, threshold=0.3):
    """Local maxima of each row."""
    pooled = nn.functional.max_pool1d(activation[:, None], 2 * radius + 1, stride=1, padding=radius)[:, 0]  #! padding=radius => padding=0
    return (activation == pooled) & (activation > threshold)


class Study:
    def __init__(self, model, lr=5e-3):
        self.model, self.loss = model, Loss()
        self.optimizer = optim.RAdam(model.parameters(), lr=lr)
        self.schedule = optim.lr_scheduler.ReduceLROnPlateau(self.optimizer, factor=0.2, patience=5)

    def fit(self, loader, steps):
        self.model.train()
        for batch in islice(loader, steps):
            self.optimizer.zero_grad(set_to_none=True)
            output = self.model(batch.spec)
            loss = self.loss(output, batch)
            loss.backward()
            self.optimizer.step()
            self.schedule.step(loss.item())
        return output

    def score(self, loader, batches=1):
        self.model.eval()
        hits = total = 0
        with torch.no_grad():
            for spec, beats, tempo in islice(loader, batches):
                found = pick(self.model(spec)[0].sigmoid())
                reveal_type(found)
                near = nn.functional.max_pool1d(found.float(), 5, 1, 2) > 0
                hits += (near & (beats > 0)).sum().item()  #! near & (beats > 0) => near & (tempo > 0)
                total += beats.sum().item()
        return hits / max(total, 1)


if __name__ == "__main__":
    loader = DataLoader(Stream(), batch_size=6)
    study = Study(BeatNet())
    beat, tempo = study.fit(loader, 2)
    reveal_type(beat)
    reveal_type(tempo)
    print(study.score(loader), study.model.size)

"""Streams: iterable data sets with workers, shuffling buffers, windows with stride, residual batches and the state after loops."""
import itertools
import math
from collections import deque

import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import ChainDataset, DataLoader, IterableDataset, get_worker_info


class Signal(IterableDataset):
    def __init__(self, start, end, channels=3):
        assert end > start
        self.start, self.end, self.channels = start, end, channels

    def __iter__(self):
        info = get_worker_info()
        if info is None:
            first, last = self.start, self.end
        else:
            per_worker = int(math.ceil((self.end - self.start) / float(info.num_workers)))
            first = self.start + info.id * per_worker
            last = min(first + per_worker, self.end)
        for t in range(first, last):
            yield np.sin(np.arange(self.channels) * t / 10).astype(np.float32)


class Windows(IterableDataset):
    def __init__(self, source, width, stride=1, horizon=2):
        self.source, self.width, self.stride, self.horizon = source, width, stride, horizon

    def __iter__(self):
        window = deque(maxlen=self.width + self.horizon)
        for i, row in enumerate(self.source):
            window.append(row)
            if len(window) == window.maxlen and i % self.stride == 0:
                block = np.stack(window)
                yield block[: self.width], block[self.width :]  #! block[self.width :] => block[: self.width]


class Shuffle(IterableDataset):
    def __init__(self, dataset, size, seed=0):
        super().__init__()
        self.dataset, self.size, self.seed = dataset, size, seed

    def __iter__(self):
        rng = np.random.default_rng(self.seed)
        buffer = []
        for item in self.dataset:
            if len(buffer) < self.size:
                buffer.append(item)
            else:
                index = rng.integers(self.size)
                yield buffer[index]
                buffer[index] = item
        rng.shuffle(buffer)
        yield from buffer


class Forecaster(nn.Module):
    def __init__(self, channels, width, horizon, hidden=16):
        super().__init__()
        self.horizon = horizon
        self.trend = nn.Linear(width, horizon)  #! width, horizon => horizon, width
        self.pool = nn.AvgPool1d(5, stride=1, padding=2)
        self.gru = nn.GRU(channels, hidden, batch_first=True)
        self.head = nn.Linear(hidden, channels * horizon)

    def forward(self, x):
        trend = self.pool(x.transpose(1, 2))
        rest = x - trend.transpose(1, 2)  #! trend.transpose(1, 2) => trend
        _, h = self.gru(rest)
        season = self.head(h.squeeze(0)).unflatten(-1, (self.horizon, -1))
        return season + self.trend(trend).mT


def evaluate(model, loader):
    model.eval()
    preds, trues = [], []
    with torch.no_grad():
        for x, y in loader:
            preds.append(model(x).numpy())
            trues.append(y.numpy())
    return np.concatenate(preds, 0), np.concatenate(trues, axis=0)


def main():
    torch.manual_seed(0)
    train = Shuffle(Windows(Signal(0, 100), 12), 16)
    loader = DataLoader(train, batch_size=8)
    model = Forecaster(3, 12, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    for epoch in range(2):
        model.train()
        for step, (x, y) in enumerate(loader):
            loss = nn.functional.smooth_l1_loss(model(x), y)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.detach())
        print(epoch, step, x.shape[0])
    reveal_type(x)
    reveal_type(torch.stack(losses[-5:]))
    test = DataLoader(Windows(Signal(100, 150), 12, stride=3), batch_size=4, drop_last=True)
    preds, trues = evaluate(model, test)
    error = np.abs(preds - trues).mean(axis=(0, 1))  #! axis=(0, 1) => axis=(0, 3)
    reveal_type(error)
    chained = DataLoader(ChainDataset([Windows(Signal(0, 20), 12), Windows(Signal(50, 70), 12)]), batch_size=None)
    for window, target in itertools.islice(chained, 3):
        out = model(torch.as_tensor(window).unsqueeze(0))  #! .unsqueeze(0) => 
    reveal_type(out)
    first = torch.from_numpy(np.stack(list(itertools.islice(Signal(0, 9), 9))))
    reveal_type(first)
    folded = first.unfold(0, 4, 2)
    reveal_type(folded)


if __name__ == "__main__":
    main()

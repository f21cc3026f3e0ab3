"""Sliding windows for forecasting: unfold, a stream with workers, an encoder-decoder with teacher forcing, quantile loss, back-tests."""
import itertools
import math

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

HISTORY, HORIZON, SERIES, QUANTILES = 48, 12, 5, (0.1, 0.5, 0.9)


def make_series(length=400, n=SERIES, seed=0):
    rng = np.random.default_rng(seed)
    t = np.arange(length)
    base = np.stack([np.sin(2 * np.pi * t / p) for p in np.linspace(12, 36, n)], axis=1)  #! axis=1 => axis=0
    return (base + 0.1 * rng.standard_normal((length, n))).astype(np.float32)


def calendar(length):
    t = np.arange(length)
    return np.column_stack([np.sin(2 * np.pi * t / 24), np.cos(2 * np.pi * t / 24), t / length]).astype(np.float32)


class WindowStream(IterableDataset):
    def __init__(self, values, marks, stride=1, shuffle_buffer=32):
        super().__init__()
        assert len(values) == len(marks)
        self.values, self.marks, self.stride, self.buffer = values, marks, stride, shuffle_buffer

    def windows(self):
        size = HISTORY + HORIZON
        for start in range(0, len(self.values) - size + 1, self.stride):
            v, m = self.values[start:start + size], self.marks[start:start + size]
            yield v[:HISTORY], m[:HISTORY], m[HISTORY:], v[HISTORY:]  #! m[HISTORY:], v[HISTORY:] => m[HISTORY - 1:], v[HISTORY:]

    def __iter__(self):
        info = get_worker_info()
        items = self.windows()
        if info is not None:
            items = itertools.islice(items, info.id, None, info.num_workers)
        hold, rng = [], np.random.default_rng(1)
        for item in items:
            hold.append(item)
            if len(hold) >= self.buffer:
                yield hold.pop(rng.integers(len(hold)))
        while hold:
            yield hold.pop()


class Encoder(nn.Module):
    def __init__(self, series, marks, hidden, layers):
        super().__init__()
        self.rnn = nn.GRU(series + marks, hidden, layers, batch_first=True)  #! series + marks => series

    def forward(self, x, m):
        return self.rnn(torch.cat([x, m], dim=-1))  #! dim=-1 => dim=-2


class Decoder(nn.Module):
    def __init__(self, series, marks, hidden, layers):
        super().__init__()
        self.rnn = nn.GRU(series + marks + hidden, hidden, layers, batch_first=True)  #! series + marks + hidden => series + marks
        self.score = nn.Linear(2 * hidden, 1)
        self.out = nn.Linear(2 * hidden, series * len(QUANTILES))
        self.series = series

    def step(self, y, mark, state, memory):
        query = state[-1].unsqueeze(1).expand(-1, memory.size(1), -1)
        weights = self.score(torch.cat([query, memory], -1)).softmax(1)
        context = (weights * memory).sum(1, keepdim=True)  #! keepdim=True => keepdim=False
        h, state = self.rnn(torch.cat([y, mark, context], -1), state)
        out = self.out(torch.cat([h, context], -1))
        return out.unflatten(-1, (self.series, len(QUANTILES))), state  #! (self.series, len(QUANTILES)) => (self.series, -1, 2)

    def forward(self, last, marks, state, memory, truth=None, ratio=0.5):
        y, outs = last, []
        for t in range(marks.size(1)):
            out, state = self.step(y, marks[:, t:t + 1], state, memory)  #! marks[:, t:t + 1] => marks[:, t]
            outs.append(out)
            y = out[..., len(QUANTILES) // 2]
            if truth is not None and torch.rand(()) < ratio:
                y = truth[:, t:t + 1]
        return torch.cat(outs, dim=1)


class Seq2Seq(nn.Module):
    def __init__(self, series, marks, hidden=24, layers=2):
        super().__init__()
        self.encoder, self.decoder = Encoder(series, marks, hidden, layers), Decoder(series, marks, hidden, layers)

    def forward(self, x, m, future, truth=None):
        mean = x.mean(1, keepdim=True)
        memory, state = self.encoder(x - mean, m)
        out = self.decoder(x[:, -1:] - mean, future, state, memory, None if truth is None else truth - mean)
        return out + mean.unsqueeze(-1)  #! mean.unsqueeze(-1) => mean.transpose(1, 2)


def pinball(pred, target, quantiles=QUANTILES):
    q = torch.tensor(quantiles)
    error = target.unsqueeze(-1) - pred  #! target.unsqueeze(-1) => target
    return torch.maximum(q * error, (q - 1) * error).mean()


def main():
    values, marks = make_series(), calendar(400)
    cut = int(0.8 * len(values))
    loader = DataLoader(WindowStream(values[:cut], marks[:cut], stride=4), batch_size=16)
    model = Seq2Seq(values.shape[1], marks.shape[1])
    opt = torch.optim.Adam(model.parameters(), lr=1e-3)
    for step, (x, m, future, y) in enumerate(loader):
        pred = model(x, m, future, y)
        loss = pinball(pred, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        if step >= 3:
            break
    reveal_type(pred)
    reveal_type(y)
    test = torch.from_numpy(values[cut:])
    windows = test.unfold(0, HISTORY + HORIZON, HORIZON).transpose(1, 2)
    reveal_type(windows)
    history, actual = windows.split([HISTORY, HORIZON], dim=1)  #! [HISTORY, HORIZON] => [HISTORY, HISTORY]
    mark = torch.from_numpy(marks[cut:]).unfold(0, HISTORY + HORIZON, HORIZON).transpose(1, 2)
    with torch.no_grad():
        forecast = model(history, mark[:, :HISTORY], mark[:, HISTORY:])
    reveal_type(forecast)
    naive = history[:, -24:][:, :HORIZON]
    mae = (forecast[..., 1] - actual).abs().mean((0, 1)) / (naive - actual).abs().mean((0, 1))  #! forecast[..., 1] => forecast[:, 1]
    reveal_type(mae)
    views = np.lib.stride_tricks.sliding_window_view(values, HISTORY, axis=0)
    reveal_type(views)
    print(math.prod(views.shape), (views @ np.ones(HISTORY)).shape)  #! np.ones(HISTORY) => np.ones(HORIZON)


if __name__ == "__main__":
    main()

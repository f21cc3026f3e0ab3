"""Unbounded streams: generators that are merged, shuffled in a buffer, windowed and batched by hand."""
import itertools
import os
import random
from types import SimpleNamespace

import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, IterableDataset

CFG = SimpleNamespace(window=int(os.environ.get("WINDOW", "20")), hop=int(os.getenv("HOP") or 5), sensors=6, buffer=8, batch=4)


def sensor_stream(seed, length):
    rng = np.random.default_rng(seed)
    state = np.zeros(CFG.sensors)
    for _ in range(length):
        state = 0.9 * state + rng.normal(size=CFG.sensors)
        yield state.copy()


def windowed(stream, size, hop):
    buffer = []
    for row in stream:
        buffer.append(row)
        if len(buffer) == size:
            yield np.stack(buffer)  #! np.stack(buffer) => np.concatenate(buffer)
            buffer = buffer[hop:]


def shuffled(stream, size):
    pool = list(itertools.islice(stream, size))
    for item in stream:
        k = random.randrange(len(pool))
        yield pool[k]
        pool[k] = item
    random.shuffle(pool)
    yield from pool


class Streams(IterableDataset):
    def __init__(self, seeds, length):
        self.seeds, self.length = seeds, length

    def __iter__(self):
        parts = [windowed(sensor_stream(s, self.length), CFG.window, CFG.hop) for s in self.seeds]
        for window in shuffled(itertools.chain(*parts), CFG.buffer):
            window = torch.as_tensor(window, dtype=torch.float32)
            yield window[:-1], window[1:, 0]  #! window[1:, 0] => window[1:]


class TCN(nn.Module):
    def __init__(self, channels, hidden=12, levels=3):
        super().__init__()
        self.blocks = nn.ModuleList()
        for i in range(levels):
            self.blocks.append(nn.Conv1d(channels if i == 0 else hidden, hidden, 3, dilation=2 ** i))  #! channels if i == 0 else hidden => channels
        self.read = nn.Conv1d(hidden, 1, 1)

    def forward(self, x):
        x = x.transpose(1, 2)  #! x.transpose(1, 2) => x
        for i, conv in enumerate(self.blocks):
            x = torch.relu(conv(nn.functional.pad(x, (2 * 2 ** i, 0))))  #! (2 * 2 ** i, 0) => (2 ** i, 0)
        return self.read(x).squeeze(1)


def batched(iterable, n):
    it = iter(iterable)
    while chunk := list(itertools.islice(it, n)):
        yield chunk


def main():
    net = TCN(CFG.sensors)
    opt = torch.optim.Adam(net.parameters(), lr=1e-3)
    for x, y in DataLoader(Streams([0, 1, 2], 60), batch_size=CFG.batch):
        reveal_type(x)
        guess = net(x)
        loss = nn.functional.smooth_l1_loss(guess, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    errors = []
    for chunk in batched(Streams([7], 50), 3):
        x, y = (torch.stack(part) for part in zip(*chunk))
        errors.append((net(x) - y).detach().abs())  #! net(x) - y => net(x) - y.T
    errors = torch.cat(errors)
    reveal_type(errors[0])
    ramp = torch.linspace(1, 0, CFG.window - 1)  #! CFG.window - 1 => CFG.window
    print((errors * ramp).sum(1).mean())


if __name__ == "__main__":
    main()

"""Feeding data in many ways: iterable shards, bucketed batch samplers, chained and concatenated sets, generators, prefetching, weighted draws."""
import functools
import itertools
import operator
import queue
import random
import threading
import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import (BatchSampler, ChainDataset, ConcatDataset, DataLoader, Dataset, IterableDataset, RandomSampler, SequentialSampler,
                              StackDataset, Subset, TensorDataset, WeightedRandomSampler, get_worker_info, random_split)


class Shards(IterableDataset):
    def __init__(self, seeds, per_shard=10, dim=8):
        self.seeds, self.per_shard, self.dim = seeds, per_shard, dim

    def __iter__(self):
        info = get_worker_info()
        seeds = self.seeds if info is None else self.seeds[info.id::info.num_workers]
        for seed in seeds:
            rng = np.random.default_rng(seed)
            block = rng.normal(size=(self.per_shard, self.dim)).astype("float32")
            for row in block:
                yield {"x": row, "y": int(row.sum() > 0)}


class Sentences(Dataset):
    def __init__(self, n, vocab=50, seed=0):
        r = random.Random(seed)
        self.rows = [[r.randrange(1, vocab) for _ in range(r.randint(3, 20))] for _ in range(n)]

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        return torch.tensor(self.rows[i]), len(self.rows[i]) % 3


class BucketBatchSampler:
    def __init__(self, lengths, batch_size, shuffle=True, drop_last=False):
        self.lengths, self.batch_size, self.shuffle, self.drop_last = lengths, batch_size, shuffle, drop_last

    def __iter__(self):
        order = sorted(range(len(self.lengths)), key=self.lengths.__getitem__)
        batches = [order[i:i + self.batch_size] for i in range(0, len(order), self.batch_size)]
        if self.drop_last and len(batches[-1]) < self.batch_size:
            batches.pop()
        if self.shuffle:
            random.shuffle(batches)
        yield from batches

    def __len__(self):
        return len(self.lengths) // self.batch_size


def pad_collate(batch, pad=0):
    xs, ys = zip(*batch)
    lengths = torch.as_tensor(list(map(len, xs)))
    return pad_sequence(xs, batch_first=True, padding_value=pad), lengths, torch.tensor(ys)  #! batch_first=True, => batch_first=False,


class BagOfWords(nn.Module):
    def __init__(self, vocab, dim, classes):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.out = nn.Linear(dim, classes)  #! dim, classes => dim * 2, classes

    def forward(self, x, lengths):
        e = self.embed(x)
        mask = (x != 0).unsqueeze(-1)  #! .unsqueeze(-1) => .unsqueeze(1)
        return self.out((e * mask).sum(1) / lengths.unsqueeze(1))  #! lengths.unsqueeze(1) => lengths


def prefetch(loader, depth=2):
    q, done = queue.Queue(maxsize=depth), object()

    def work():
        for item in loader:
            q.put(item)
        q.put(done)

    threading.Thread(target=work, daemon=True).start()
    while (item := q.get()) is not done:
        yield item


def batch_generator(x, y, batch_size, shuffle=True):
    n = x.shape[0]
    order = np.random.permutation(n) if shuffle else np.arange(n)
    for start in range(0, n - batch_size + 1, batch_size):
        pick = order[start:start + batch_size]
        yield torch.from_numpy(x[pick]).float(), torch.from_numpy(y[pick]).long()


def windows(series, width, horizon):
    x = np.lib.stride_tricks.sliding_window_view(series, width + horizon, axis=0)
    x = x.transpose(0, 2, 1)
    return x[:, :width], x[:, width:]  #! x[:, :width], => x[:, :, :width],


def fit(model, batches, loss_fn):
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    total = 0.0
    for x, y in batches:
        out = model(x)
        loss = loss_fn(out, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
        total += loss.item()
    return out


random.seed(0), torch.manual_seed(0)
clf = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
stream = ChainDataset([Shards([0, 1]), Shards([2], per_shard=7)])
for batch in DataLoader(stream, batch_size=6):
    logits = clf(batch["x"])
    nn.functional.cross_entropy(logits, batch["y"]).backward()  #! logits, batch["y"] => batch["y"], logits
reveal_type(logits)

text = Sentences(50)
lengths = [len(row) for row in text.rows]
words = BagOfWords(50, 12, 3)
for x, n, y in DataLoader(text, batch_sampler=BucketBatchSampler(lengths, 8, drop_last=True), collate_fn=functools.partial(pad_collate, pad=0)):
    out = words(x, n)
    nn.functional.cross_entropy(out, y).backward()
reveal_type(out)

first, second = TensorDataset(torch.randn(30, 8), torch.zeros(30).long()), TensorDataset(torch.randn(10, 8), torch.ones(10).long())  #! torch.randn(10, 8) => torch.randn(10, 9)
both = ConcatDataset([first, second])
labels = torch.cat([d.tensors[1] for d in both.datasets])
weight = 1.0 / torch.bincount(labels).float()
drawn = WeightedRandomSampler(weight[labels], num_samples=len(both), replacement=True)
out = fit(clf, DataLoader(both, batch_size=10, sampler=drawn), nn.CrossEntropyLoss())
reveal_type(out)

train, val, test = random_split(both, [0.6, 0.2, 0.2], generator=torch.Generator().manual_seed(1))
batch_sampler = BatchSampler(RandomSampler(train), batch_size=5, drop_last=False)
for x, y in prefetch(DataLoader(train, batch_sampler=batch_sampler)):
    nn.functional.nll_loss(clf(x).log_softmax(1), y).backward()  #! .log_softmax(1), y => .log_softmax(1), y[:-1]
xs = torch.stack([val[i][0] for i in range(len(val))])
reveal_type(xs)

series = np.cumsum(np.random.RandomState(0).randn(120, 3), axis=0).astype(np.float32)
past, future = windows(series, 24, 6)
reveal_type(past)
pairs = StackDataset(torch.from_numpy(past.copy()), torch.from_numpy(future.copy()))
forecaster = nn.Sequential(nn.Flatten(), nn.Linear(24 * 3, 6 * 3), nn.Unflatten(1, (6, 3)))  #! nn.Unflatten(1, (6, 3)) => nn.Unflatten(1, (6, 6))
out = fit(forecaster, DataLoader(pairs, batch_size=16, shuffle=True), nn.MSELoss())
reveal_type(out)

features, classes = np.random.rand(45, 8), np.random.randint(0, 2, 45)
out = fit(clf, batch_generator(features, classes, 9), nn.CrossEntropyLoss())  #! batch_generator(features, => batch_generator(features[:, :-1],
reveal_type(out)
out = fit(clf, itertools.islice(zip(torch.randn(40, 4, 8), torch.randint(2, (40, 4))), 5), nn.CrossEntropyLoss())  #! torch.randint(2, (40, 4)) => torch.randint(2, (40, 3))
reveal_type(out)
halves = [Subset(both, range(k, len(both), 2)) for k in (0, 1)]
assert functools.reduce(operator.add, map(len, halves)) == len(both)

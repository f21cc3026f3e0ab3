"""Text classification: a data set of one's own, samplers of buckets, padding in the collate function, worker seeds, folds."""
import itertools
import random
from dataclasses import dataclass
from typing import Iterator, List, Sequence

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import BatchSampler, ConcatDataset, DataLoader, Dataset, RandomSampler, Sampler, SequentialSampler, Subset, WeightedRandomSampler, random_split


class Reviews(Dataset):
    def __init__(self, count, vocab=60, classes=3, seed=0):
        rng = random.Random(seed)
        self.texts = [[rng.randrange(1, vocab) for _ in range(rng.randint(3, 15))] for _ in range(count)]
        self.labels = [sum(t) % classes for t in self.texts]

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, i):
        return {"ids": torch.tensor(self.texts[i], dtype=torch.long), "label": self.labels[i], "meta": np.array([len(self.texts[i]), i], dtype=np.float32)}


class BucketBatchSampler(Sampler[List[int]]):
    def __init__(self, lengths: Sequence[int], batch_size: int, drop_last: bool = False):
        self.lengths, self.batch_size, self.drop_last = lengths, batch_size, drop_last

    def __iter__(self) -> Iterator[List[int]]:
        order = sorted(range(len(self.lengths)), key=lambda i: self.lengths[i])
        batches = [order[i : i + self.batch_size] for i in range(0, len(order), self.batch_size)]
        if self.drop_last and len(batches[-1]) < self.batch_size:
            batches.pop()
        random.shuffle(batches)
        yield from batches

    def __len__(self):
        return len(self.lengths) // self.batch_size if self.drop_last else (len(self.lengths) + self.batch_size - 1) // self.batch_size


@dataclass
class Collator:
    pad: int = 0
    multiple: int = 4

    def __call__(self, samples):
        ids = pad_sequence([s["ids"] for s in samples], batch_first=True, padding_value=self.pad)
        extra = -ids.size(1) % self.multiple
        ids = nn.functional.pad(ids, (0, extra), value=self.pad)
        lengths = torch.tensor([len(s["ids"]) for s in samples])
        labels = torch.as_tensor([s["label"] for s in samples])
        meta = torch.from_numpy(np.stack([s["meta"] for s in samples]))  #! np.stack([s["meta"] for s in samples]) => np.concatenate([s["meta"] for s in samples])
        return ids, lengths, labels, meta


def seed_worker(worker_id):
    seed = torch.initial_seed() % 2**32
    np.random.seed(seed)
    random.seed(seed)


class Classifier(nn.Module):
    def __init__(self, vocab=60, dim=16, hidden=20, classes=3, filters=(2, 3, 4)):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, hidden, num_layers=2, bidirectional=True, batch_first=True, dropout=0.1)
        self.convs = nn.ModuleList([nn.Conv2d(1, 8, (k, dim)) for k in filters])
        self.out = nn.Linear(2 * hidden + 8 * len(filters) + 2, classes)  #! 2 * hidden + 8 * => hidden + 8 *

    def forward(self, ids, lengths, meta):
        x = self.embed(ids)
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        _, (h, _) = self.lstm(packed)
        h = torch.cat((h[-2, :, :], h[-1, :, :]), dim=1)
        c = [torch.relu(conv(x.unsqueeze(1))).squeeze(3) for conv in self.convs]  #! .squeeze(3) for conv => .squeeze(2) for conv
        c = torch.cat([nn.functional.max_pool1d(i, i.size(2)).squeeze(2) for i in c], 1)
        return self.out(torch.cat([h, c, meta.log1p()], dim=-1))


def run(model, loader, optimizer=None):
    total, correct, outputs = 0.0, 0, []
    for ids, lengths, labels, meta in loader:
        logits = model(ids, lengths, meta)
        loss = nn.functional.cross_entropy(logits, labels)
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total += loss.item() * len(labels)
        correct += (logits.argmax(-1) == labels).sum().item()
        outputs.append(logits.detach())
    return torch.cat(outputs), total / len(loader.dataset), logits


def main():
    full = ConcatDataset([Reviews(40), Reviews(25, seed=1)])
    train, valid, test = random_split(full, [45, 10, 10], generator=torch.Generator().manual_seed(0))  #! [45, 10, 10] => [45, 10, 15]
    sampler = BucketBatchSampler([len(train[i]["ids"]) for i in range(len(train))], 8)
    collate = Collator()
    train_loader = DataLoader(train, batch_sampler=sampler, collate_fn=collate, worker_init_fn=seed_worker)
    valid_loader = DataLoader(valid, batch_size=4, collate_fn=collate, sampler=SequentialSampler(valid))
    weights = [1.0 / (1 + full[i]["label"]) for i in range(len(full))]
    weighted = DataLoader(full, batch_size=16, sampler=WeightedRandomSampler(weights, num_samples=32), collate_fn=collate)
    model = Classifier()
    optimizer = torch.optim.Adam(model.parameters())
    for epoch in range(2):
        outputs, loss, _ = run(model, train_loader, optimizer)
        with torch.no_grad():
            scores, _, last = run(model.eval(), valid_loader)
    reveal_type(outputs)
    reveal_type(last)
    reveal_type(run(model, weighted)[2])
    folds = np.array_split(np.random.permutation(len(full)), 5)
    for k in range(5):
        held = folds[k]
        rest = np.concatenate([f for j, f in enumerate(folds) if j != k])
        loader = DataLoader(Subset(full, rest.tolist()), batch_size=13, collate_fn=collate, drop_last=True)
        preds, _, _ = run(model, loader)
    reveal_type(preds)
    reveal_type(rest)
    plain = DataLoader([(torch.zeros(3), i) for i in range(10)], batch_size=4)
    for xs, ys in plain:
        pass
    reveal_type(xs)
    one_hot = torch.eye(10)[ys]
    reveal_type(one_hot)
    ids, lengths, labels, meta = next(iter(valid_loader))
    reveal_type(meta)
    reveal_type(model(ids, lengths, meta[:, :2]))  #! meta[:, :2] => meta[:, :1]


if __name__ == "__main__":
    main()

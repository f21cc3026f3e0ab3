"""Batches by length with samplers of one's own; predictions put back in order; metrics from top-k."""
import math
import random
from itertools import chain
from typing import Iterator, List

import numpy as np
import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence
from torch.utils.data import DataLoader, Dataset, Sampler, Subset


class Proteins(Dataset):
    ALPHABET = "ACDEFGHIKLMNPQRSTVWY"

    def __init__(self, n, classes, seed=0):
        rnd = random.Random(seed)
        self.items = []
        for i in range(n):
            sequence = "".join(rnd.choices(self.ALPHABET, k=rnd.randint(5, 30)))
            self.items.append((sequence, i % classes))
        self.lookup = {a: i + 1 for i, a in enumerate(self.ALPHABET)}

    def __len__(self):
        return len(self.items)

    def __getitem__(self, i):
        sequence, label = self.items[i]
        return i, torch.LongTensor([self.lookup[a] for a in sequence]), label

    def lengths(self):
        return [len(s) for s, _ in self.items]


class BucketSampler(Sampler[List[int]]):
    def __init__(self, lengths, batch_size, shuffle=True):
        self.lengths, self.batch_size, self.shuffle = lengths, batch_size, shuffle

    def __iter__(self) -> Iterator[List[int]]:
        order = sorted(range(len(self.lengths)), key=self.lengths.__getitem__)
        batches = [order[i:i + self.batch_size] for i in range(0, len(order), self.batch_size)]
        if self.shuffle:
            random.shuffle(batches)
        yield from batches

    def __len__(self):
        return math.ceil(len(self.lengths) / self.batch_size)


def collate(items):
    index, sequences, labels = map(list, zip(*items))
    padded = pad_sequence(sequences, batch_first=True)
    mask = padded.ne(0)
    return {"index": torch.tensor(index), "tokens": padded, "mask": mask, "label": torch.tensor(labels)}


class AttentionPool(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.score = nn.Linear(dim, 1)

    def forward(self, x, mask):
        weights = self.score(x).squeeze(-1).masked_fill(~mask, -1e9).softmax(dim=1)  #! .squeeze(-1) => .squeeze(0)
        return torch.einsum("bl,bld->bd", weights, x)  #! "bl,bld->bd" => "bl,bdl->bd"


class ConvTagger(nn.Module):
    def __init__(self, vocab, dim, classes, kernels=(3, 5, 7)):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.convs = nn.ModuleList(nn.Conv1d(dim, dim, k, padding=k // 2) for k in kernels)  #! padding=k // 2 => padding=1
        self.pool = AttentionPool(dim * len(kernels))  #! dim * len(kernels) => dim
        self.out = nn.Linear(dim * len(kernels), classes)

    def forward(self, tokens, mask):
        x = self.embed(tokens).transpose(1, 2)  #! .transpose(1, 2) => .transpose(0, 1)
        x = torch.cat([conv(x).relu() for conv in self.convs], dim=1).transpose(1, 2)
        return self.out(self.pool(x, mask))


def top_k(scores, labels, ks=(1, 3)):
    ranked = scores.topk(max(ks), dim=-1).indices
    hits = ranked == labels.unsqueeze(-1)
    return {f"top{k}": hits[:, :k].any(dim=-1).float().mean().item() for k in ks}


def main():
    data = Proteins(37, 6)
    cut = list(range(len(data)))
    train, test = Subset(data, cut[:30]), Subset(data, cut[30:])
    lengths = [data.lengths()[i] for i in train.indices]
    loader = DataLoader(train, batch_sampler=BucketSampler(lengths, 8), collate_fn=collate)
    model = ConvTagger(len(Proteins.ALPHABET) + 1, 16, 6)
    opt = torch.optim.NAdam(model.parameters())
    for batch in loader:
        logits = model(batch["tokens"], batch["mask"])
        reveal_type(logits)
        loss = nn.functional.cross_entropy(logits, batch["label"], label_smoothing=0.1)
        opt.zero_grad()
        loss.backward()
        opt.step()
    scores, order, labels = [], [], []
    model.eval()
    with torch.inference_mode():
        for batch in DataLoader(test, batch_sampler=BucketSampler([data.lengths()[i] for i in test.indices], 3, shuffle=False), collate_fn=collate):
            scores.append(model(batch["tokens"], batch["mask"]))
            order.append(batch["index"])
            labels.append(batch["label"])
    scores, order, labels = torch.cat(scores), torch.cat(order), torch.cat(labels)
    reveal_type(scores[order.argsort()])
    print(top_k(scores, labels))  #! scores, labels => scores.T, labels
    prior = torch.full((6,), 1 / 6).log()  #! (6,) => (7,)
    print((scores - prior).logsumexp(1).mean())


if __name__ == "__main__":
    main()

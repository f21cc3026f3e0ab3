"""Extractive question answering: features of several windows per example, offsets, span decoding; dictionaries of columns like a data set of a hub."""
import collections
import random
from typing import Dict, List

import torch
import torch.nn as nn
from torch.utils.data import DataLoader

MAX_LEN, STRIDE, VOCAB = 48, 16, 200


class Columns:
    """Rows kept as a dictionary of lists."""

    def __init__(self, columns: Dict[str, list]):
        self.columns = columns

    def __len__(self):
        return len(next(iter(self.columns.values())))

    def __getitem__(self, key):
        if isinstance(key, str):
            return self.columns[key]
        return {name: values[key] for name, values in self.columns.items()}

    def map(self, function, batched=False, remove_columns=()):
        if batched:
            made = function({n: v for n, v in self.columns.items()})
        else:
            rows = [function(self[i]) for i in range(len(self))]
            made = {name: [row[name] for row in rows] for name in rows[0]}
        kept = {n: v for n, v in self.columns.items() if n not in remove_columns and n not in made}
        return Columns({**kept, **made})

    def select_columns(self, names):
        return Columns({n: self.columns[n] for n in names})


def load(n, seed=0):
    rng = random.Random(seed)
    contexts = [[rng.randrange(3, VOCAB) for _ in range(100)] for _ in range(n)]
    questions = [[rng.randrange(3, VOCAB) for _ in range(8)] for _ in range(n)]
    answers = [rng.randrange(0, 90) for _ in range(n)]
    return Columns({"context": contexts, "question": questions, "answer": answers})


def prepare(examples):
    out = collections.defaultdict(list)
    for i, (q, c, a) in enumerate(zip(examples["question"], examples["context"], examples["answer"])):
        room = MAX_LEN - len(q) - 2
        for begin in range(0, len(c) - room + 1, STRIDE):
            piece = c[begin:begin + room]
            ids = [1] + q + [2] + piece  #! [1] + q + [2] + piece => [1] + q + piece
            out["input_ids"].append(ids)
            out["token_type_ids"].append([0] * (len(q) + 2) + [1] * len(piece))
            inside = begin <= a < begin + room
            out["start"].append(a - begin + len(q) + 2 if inside else 0)
            out["sample"].append(i)
    return dict(out)


def collate(rows: List[dict]):
    batch = {k: torch.tensor([row[k] for row in rows]) for k in rows[0]}
    batch["attention_mask"] = (batch["input_ids"] != 0).long()
    return batch


class Encoder(nn.Module):
    def __init__(self, dim=32, heads=4, layers=2):
        super().__init__()
        self.word, self.kind, self.pos = nn.Embedding(VOCAB, dim), nn.Embedding(2, dim), nn.Embedding(MAX_LEN, dim)  #! nn.Embedding(2, dim) => nn.Embedding(2, heads)
        layer = nn.TransformerEncoderLayer(dim, heads, 4 * dim, batch_first=True, activation="gelu")
        self.body = nn.TransformerEncoder(layer, layers)
        self.span = nn.Linear(dim, 2)

    def forward(self, input_ids, token_type_ids, attention_mask):
        position = torch.arange(input_ids.size(1)).unsqueeze(0)
        x = self.word(input_ids) + self.kind(token_type_ids) + self.pos(position)
        x = self.body(x, src_key_padding_mask=attention_mask == 0)  #! attention_mask == 0 => attention_mask.T == 0
        start, end = self.span(x).split(1, dim=-1)  #! .split(1, dim=-1) => .split(1, dim=1)
        return start.squeeze(-1), end.squeeze(-1)


def decode(start, end, types, longest=6):
    scores = start[:, :, None] + end[:, None, :]  #! end[:, None, :] => end[:, :, None].transpose(0, 1)
    length = scores.size(1)
    band = torch.ones(length, length).triu() - torch.ones(length, length).triu(longest)
    scores = scores.masked_fill(band == 0, float("-inf"))  #! band == 0 => band[1:] == 0
    scores = scores.masked_fill((types == 0)[:, :, None], float("-inf"))  #! (types == 0)[:, :, None] => (types == 0)[:, :, None, None]
    best = scores.flatten(1).argmax(1)
    return torch.stack([best // length, best % length], dim=1)


def main():
    raw = load(12)
    features = raw.map(prepare, batched=True, remove_columns=["context", "question", "answer"])
    print(len(features), features["sample"][:5])
    loader = DataLoader(features, batch_size=8, shuffle=True, collate_fn=collate)
    model = Encoder()
    opt = torch.optim.AdamW(model.parameters(), lr=5e-4)
    for batch in loader:
        start, end = model(batch["input_ids"], batch["token_type_ids"], batch["attention_mask"])
        loss = (nn.functional.cross_entropy(start, batch["start"]) + nn.functional.cross_entropy(end, batch["start"])) / 2  #! cross_entropy(start, batch["start"]) => cross_entropy(start.T, batch["start"])
        opt.zero_grad()
        loss.backward()
        opt.step()
    test = features.select_columns(["input_ids", "token_type_ids"])
    ids, types = torch.tensor(test["input_ids"]), torch.tensor(test["token_type_ids"])
    reveal_type(ids)
    model.eval()
    with torch.no_grad():
        start, end = model(ids, types, torch.ones_like(ids))
    spans = decode(start, end, types)
    reveal_type(spans)
    reveal_type(start)
    per_sample = torch.zeros(len(raw)).scatter_reduce(0, torch.tensor(features["sample"]), start.amax(1), "amax")
    reveal_type(per_sample)


if __name__ == "__main__":
    main()

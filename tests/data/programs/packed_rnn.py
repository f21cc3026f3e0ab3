"""Sentence classification with a bidirectional LSTM over packed sequences."""
import random
from typing import List, NamedTuple

import torch
import torch.nn as nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence
from torch.utils.data import DataLoader, Dataset

PAD, VOCAB, CLASSES = 0, 500, 4


class Example(NamedTuple):
    tokens: List[int]
    label: int


class Sentences(Dataset):
    def __init__(self, size: int):
        rng = random.Random(1)
        self.examples = [
            Example([rng.randrange(1, VOCAB) for _ in range(rng.randint(3, 12))], rng.randrange(CLASSES))
            for _ in range(size)
        ]

    def __len__(self):
        return len(self.examples)

    def __getitem__(self, i):
        return self.examples[i]


def collate(batch):
    lengths = torch.tensor([len(e.tokens) for e in batch])
    tokens = pad_sequence([torch.tensor(e.tokens) for e in batch], batch_first=True, padding_value=PAD)  #! batch_first=True, padding => padding
    labels = torch.tensor([e.label for e in batch])
    return tokens, lengths, labels


class Classifier(nn.Module):
    def __init__(self, embed=32, hidden=48, layers=2, dropout=0.1):
        super().__init__()
        self.embed = nn.Embedding(VOCAB, embed, padding_idx=PAD)
        self.rnn = nn.LSTM(embed, hidden, num_layers=layers, bidirectional=True, batch_first=True, dropout=dropout)
        self.drop = nn.Dropout(dropout)
        self.attn = nn.Linear(2 * hidden, 1)  #! 2 * hidden, 1 => hidden, 1
        self.head = nn.Linear(4 * hidden, CLASSES)  #! 4 * hidden => 2 * hidden

    def forward(self, tokens, lengths):
        x = self.drop(self.embed(tokens))
        packed = pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)
        packed_out, (h, c) = self.rnn(packed)
        reveal_type(h)
        out, _ = pad_packed_sequence(packed_out, batch_first=True)
        mask = torch.arange(out.size(1))[None, :] < lengths[:, None]  #! lengths[:, None] => lengths[None, :, None]
        score = self.attn(out).squeeze(-1).masked_fill(~mask, -1e9)  #! .squeeze(-1).masked => .masked
        weight = score.softmax(dim=1)
        pooled = torch.bmm(weight.unsqueeze(1), out).squeeze(1)  #! weight.unsqueeze(1) => weight.unsqueeze(2)
        last = torch.cat([h[-2], h[-1]], dim=1)  #! dim=1) => dim=0)
        return self.head(torch.cat([pooled, last], dim=-1))


def run():
    loader = DataLoader(Sentences(60), batch_size=16, shuffle=True, collate_fn=collate)
    model = Classifier()
    loss_fn = nn.CrossEntropyLoss()
    optimizer = torch.optim.AdamW(model.parameters())
    correct = total = 0
    for tokens, lengths, labels in loader:
        logits = model(tokens, lengths)
        loss = loss_fn(logits, labels)  #! logits, labels => labels, logits
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        correct += (logits.argmax(1) == labels).sum().item()
        total += labels.numel()
    print(f"{correct / total:.2%}")
    reveal_type(model(torch.ones(3, 9, dtype=torch.long), torch.tensor([9, 4, 2])))


run()

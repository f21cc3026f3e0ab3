# -*- coding: utf-8 -*-
"""Text classification from raw strings: tokeniser, vocabulary with counts, TF-IDF in NumPy, an averaged-embedding model, a CNN, a BiLSTM with attention."""
import io
import re
import string
from collections import Counter, defaultdict, OrderedDict
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.utils.rnn import pad_sequence, pack_padded_sequence, pad_packed_sequence
from torch.utils.data import DataLoader, Dataset, random_split

RAW = """good movie with great acting|1
bad plot and terrible acting|0
i loved the music and the story|1
boring , long and bad|0
what a great story !|1
the worst film i have seen|0
great great great|1
not good at all , terrible|0
"""


def tokenize(text):
    text = re.sub(f"[{re.escape(string.punctuation)}]", " ", text.lower())
    return text.split()


class Vocab:
    def __init__(self, counter, min_freq=1, specials=("<pad>", "<unk>")):
        self.itos = list(specials)
        for word, freq in sorted(counter.items(), key=lambda kv: (-kv[1], kv[0])):
            if freq >= min_freq:
                self.itos.append(word)
        self.stoi = {w: i for i, w in enumerate(self.itos)}

    def __len__(self):
        return len(self.itos)

    def __call__(self, tokens):
        return [self.stoi.get(t, 1) for t in tokens]


class Reviews(Dataset):
    def __init__(self, stream):
        self.samples = []
        for line in stream:
            text, label = line.rstrip("\n").rsplit("|", 1)
            self.samples.append((tokenize(text), int(label)))

    def __len__(self):
        return len(self.samples)

    def __getitem__(self, i):
        return self.samples[i]


def tfidf(docs, vocab):
    counts = np.zeros((len(docs), len(vocab)), dtype=np.float64)  #! (len(docs), len(vocab)) => (len(vocab), len(docs))
    for i, tokens in enumerate(docs):
        for t in vocab(tokens):
            counts[i, t] += 1
    tf = counts / counts.sum(axis=1, keepdims=True)  #! keepdims=True => keepdims=False
    df = (counts > 0).sum(axis=0)
    idf = np.log((1 + len(docs)) / (1 + df)) + 1
    x = tf * idf[None, :]  #! idf[None, :] => idf[:, None]
    return x / np.linalg.norm(x, axis=1, keepdims=True)


class TextCNN(nn.Module):
    def __init__(self, vocab_size, dim=16, widths=(2, 3, 4), channels=12, classes=2):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, dim, padding_idx=0)
        self.convs = nn.ModuleList([nn.Conv2d(1, channels, (w, dim)) for w in widths])  #! (w, dim) => (w, dim + 1)
        self.fc = nn.Linear(len(widths) * channels, classes)  #! len(widths) * channels => channels

    def forward(self, x, lengths=None):
        x = F.pad(x, (0, 4))
        e = self.embed(x).unsqueeze(1)  #! .unsqueeze(1) => .unsqueeze(2)
        pooled = []
        for conv in self.convs:
            c = F.relu(conv(e)).squeeze(3)
            pooled.append(F.max_pool1d(c, c.size(2)).squeeze(2))
        return self.fc(torch.cat(pooled, 1))


class BiLSTM(nn.Module):
    def __init__(self, vocab_size, dim=16, hidden=10, classes=2):
        super().__init__()
        self.embed = nn.Embedding(vocab_size, dim, padding_idx=0)
        self.lstm = nn.LSTM(dim, hidden, batch_first=True, bidirectional=True, num_layers=2, dropout=0.2)
        self.query = nn.Parameter(torch.randn(2 * hidden))  #! torch.randn(2 * hidden) => torch.randn(hidden)
        self.fc = nn.Linear(2 * hidden, classes)

    def forward(self, x, lengths):
        packed = pack_padded_sequence(self.embed(x), lengths.cpu(), batch_first=True, enforce_sorted=False)
        out, (h, c) = self.lstm(packed)
        out, _ = pad_packed_sequence(out, batch_first=True)
        score = (out @ self.query).masked_fill(torch.arange(out.size(1))[None] >= lengths[:, None], -1e9)  #! lengths[:, None] => lengths[None]
        context = torch.einsum("bt,btd->bd", score.softmax(1), out)  #! bt,btd->bd => bt,bdt->bd
        last = torch.cat([h[-2], h[-1]], dim=-1)
        return self.fc(context + last)


def make_collate(vocab):
    def collate(batch):
        tokens, labels = zip(*batch)
        ids = [torch.tensor(vocab(t)) for t in tokens]
        lengths = torch.tensor([len(i) for i in ids])
        return pad_sequence(ids, batch_first=True), lengths, torch.tensor(labels)
    return collate


torch.manual_seed(0)
data = Reviews(io.StringIO(RAW))
counter = Counter()
for tokens, _ in data.samples:
    counter.update(tokens)
vocab = Vocab(counter)
features = tfidf([t for t, _ in data.samples], vocab)
labels = np.array([y for _, y in data.samples])
weights, bias = np.zeros(len(vocab)), 0.0
for _ in range(5):
    p = 1 / (1 + np.exp(-(features @ weights + bias)))  #! features @ weights => features.T @ weights
    grad = features.T @ (p - labels) / len(labels)  #! features.T @ => features @
    weights -= 0.5 * grad
    bias -= 0.5 * (p - labels).mean()
train, test = random_split(data, [6, 2])
loader = DataLoader(train, batch_size=3, shuffle=True, collate_fn=make_collate(vocab))
for model in (TextCNN(len(vocab)), BiLSTM(len(vocab))):
    opt = torch.optim.Adam(model.parameters(), lr=1e-2)
    for x, n, y in loader:
        logits = model(x, n)
        loss = F.cross_entropy(logits, y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    reveal_type(logits)
reveal_type(p)
reveal_type(model.embed.weight[:3])

"""A byte-pair tokenizer of one's own; blocks of tokens by unfold."""
from collections import Counter, defaultdict
from dataclasses import dataclass

import torch
import torch.nn as nn
from torch.utils.data import DataLoader, TensorDataset

CORPUS = ("low lower lowest newer wider new low low lower wide " * 20).strip()


class BPE:
    def __init__(self, merges=20):
        self.n_merges = merges
        self.merges = []
        self.vocab = {}

    @staticmethod
    def pairs(words):
        counts = defaultdict(int)
        for word, freq in words.items():
            for a, b in zip(word, word[1:]):
                counts[a, b] += freq
        return counts

    @staticmethod
    def merge(word, pair):
        out, i = [], 0
        while i < len(word):
            if i + 1 < len(word) and (word[i], word[i + 1]) == pair:
                out.append(word[i] + word[i + 1])
                i += 2
            else:
                out.append(word[i])
                i += 1
        return tuple(out)

    def train(self, text):
        words = Counter(tuple(w) + ("</w>",) for w in text.split())
        for _ in range(self.n_merges):
            counts = self.pairs(words)
            if not counts:
                break
            best = max(counts, key=counts.get)
            self.merges.append(best)
            words = Counter({self.merge(w, best): f for w, f in words.items()})
        symbols = {"<unk>"} | set("abcdefghijklmnopqrstuvwxyz") | {"</w>"} | {a + b for a, b in self.merges}
        self.vocab = {s: i for i, s in enumerate(sorted(symbols))}
        return self

    def encode(self, text):
        ids = []
        for w in text.split():
            word = tuple(w) + ("</w>",)
            for pair in self.merges:
                word = self.merge(word, pair)
            ids.extend(self.vocab.get(s, self.vocab["<unk>"]) for s in word)
        return ids


@dataclass(frozen=True)
class Hyper:
    block: int = 8
    stride: int = 4
    batch: int = 4
    dim: int = 16
    layers: int = 2


def make_blocks(ids, hp):
    stream = torch.tensor(ids)
    blocks = stream.unfold(0, hp.block + 1, hp.stride)  #! hp.block + 1 => hp.block
    return TensorDataset(blocks[:, :-1], blocks[:, 1:])  #! blocks[:, 1:] => blocks[1:, 1:]


class LSTMLM(nn.Module):
    def __init__(self, vocab, hp):
        super().__init__()
        self.emb = nn.Embedding(vocab, hp.dim)
        self.lstm = nn.LSTM(hp.dim, 2 * hp.dim, hp.layers, batch_first=True)
        self.proj = nn.Linear(2 * hp.dim, hp.dim)  #! nn.Linear(2 * hp.dim => nn.Linear(hp.dim
        self.decoder = nn.Linear(hp.dim, vocab)
        self.decoder.weight = self.emb.weight  #! self.emb.weight => nn.Parameter(self.emb.weight.t())

    def forward(self, x, state=None):
        y, state = self.lstm(self.emb(x), state)
        return self.decoder(self.proj(y)), state


def main():
    hp = Hyper()
    bpe = BPE(12).train(CORPUS)
    data = make_blocks(bpe.encode(CORPUS), hp)
    loader = DataLoader(data, batch_size=hp.batch, shuffle=False, drop_last=True)  #! drop_last=True => drop_last=False
    net = LSTMLM(len(bpe.vocab), hp)
    opt = torch.optim.RMSprop(net.parameters())
    state = (torch.zeros(hp.layers, hp.batch, 2 * hp.dim), torch.zeros(hp.layers, hp.batch, 2 * hp.dim))  #! torch.zeros(hp.layers, hp.batch, 2 * hp.dim), => torch.zeros(hp.batch, hp.layers, 2 * hp.dim),
    losses = []
    for x, y in loader:
        reveal_type(x)
        logits, state = net(x, tuple(s.detach() for s in state))
        loss = nn.functional.cross_entropy(logits.reshape(-1, logits.size(-1)), y.reshape(-1))
        opt.zero_grad()
        loss.backward()
        opt.step()
        losses.append(loss.item())
    print(sum(losses) / len(losses), torch.tensor(losses).exp().mean())
    reveal_type(state[0])
    bias = torch.randn(hp.dim)
    print((net.emb.weight[:5] + bias).shape)  #! + bias => + torch.randn(2 * hp.dim)


main()

"""Symbolic music as tokens: relative positions by skewing, a decoder on the library's layers, tied heads for several fields, and sampling."""
import enum
import math
import random
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.lr_scheduler import LambdaLR
from torch.utils.data import DataLoader, Dataset


class Field(enum.IntEnum):
    PITCH = 0
    DURATION = 1
    VELOCITY = 2


SIZES = {Field.PITCH: 88, Field.DURATION: 16, Field.VELOCITY: 8}


@dataclass
class Hyper:
    dim: int = 48
    heads: int = 4
    layers: int = 2
    max_len: int = 24
    dropout: float = 0.1


def write_pieces(folder: Path, count=6):
    rng = np.random.default_rng(0)
    for i in range(count):
        notes = int(rng.integers(30, 60))
        piece = np.stack([rng.integers(0, SIZES[field], notes) for field in Field], axis=1)
        np.savetxt(folder / f"piece{i}.txt", piece, fmt="%d")


class Pieces(Dataset):
    def __init__(self, folder: Path, length: int):
        self.length = length
        self.pieces = [np.loadtxt(path, dtype=np.int64) for path in sorted(folder.glob("*.txt"))]

    def __len__(self):
        return len(self.pieces)

    def __getitem__(self, index):
        piece = self.pieces[index]
        start = random.randrange(0, len(piece) - self.length)
        window = torch.from_numpy(piece[start:start + self.length + 1])
        return window[:-1], window[1:]  #! window[:-1], window[1:] => window[:-1], window


class RelativeAttention(nn.Module):
    def __init__(self, dim, heads, max_len, dropout=0.0):
        super().__init__()
        if dim % heads:
            raise ValueError("dim must be divisible by heads")
        self.heads, self.max_len = heads, max_len
        self.qkv = nn.Linear(dim, 3 * dim)
        self.out = nn.Linear(dim, dim)
        self.relative = nn.Parameter(torch.randn(max_len, dim // heads) * 0.02)  #! torch.randn(max_len, dim // heads) => torch.randn(max_len, dim)
        self.drop = nn.Dropout(dropout)
        self.register_buffer("mask", torch.ones(max_len, max_len).tril().bool()[None, None])

    @staticmethod
    def skew(qe):
        b, h, n, m = qe.shape
        padded = F.pad(qe, (1, 0))
        return padded.reshape(b, h, m + 1, n)[:, :, 1:, :]  #! reshape(b, h, m + 1, n)[:, :, 1:, :] => reshape(b, h, m + 1, n)

    def forward(self, x):
        b, n, d = x.shape
        q, k, v = self.qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        start = self.max_len - n
        scores = q @ k.mT + self.skew(q @ self.relative[start:].T)  #! self.relative[start:] => self.relative
        scores = scores / math.sqrt(q.size(-1))
        scores = scores.masked_fill(~self.mask[..., :n, :n], float("-inf"))  #! [..., :n, :n] => [..., :n]
        y = self.drop(scores.softmax(-1)) @ v
        return self.out(y.transpose(1, 2).reshape(b, n, d))


class RelativeLayer(nn.TransformerEncoderLayer):
    """The library's layer with other attention."""

    def __init__(self, hp: Hyper):
        super().__init__(hp.dim, hp.heads, 2 * hp.dim, hp.dropout, activation="gelu", batch_first=True, norm_first=True)
        self.self_attn = RelativeAttention(hp.dim, hp.heads, hp.max_len, hp.dropout)

    def forward(self, src, src_mask=None, src_key_padding_mask=None, is_causal=False):
        src = src + self.dropout1(self.self_attn(self.norm1(src)))
        return src + self._ff_block(self.norm2(src))


class MusicModel(nn.Module):
    def __init__(self, hp: Hyper):
        super().__init__()
        self.hp = hp
        self.embeddings = nn.ModuleList([nn.Embedding(SIZES[f], hp.dim) for f in Field])
        self.mix = nn.Linear(len(Field) * hp.dim, hp.dim)  #! len(Field) * hp.dim => len(SIZES) + hp.dim
        self.layers = nn.ModuleList([RelativeLayer(hp) for _ in range(hp.layers)])
        self.norm = nn.LayerNorm(hp.dim)
        self.heads = nn.ModuleDict({f.name: nn.Linear(hp.dim, SIZES[f], bias=False) for f in Field})
        for f in Field:
            self.heads[f.name].weight = self.embeddings[f].weight

    def forward(self, notes):
        x = torch.cat([e(notes[..., i]) for i, e in enumerate(self.embeddings)], dim=-1)
        x = self.mix(x)
        for layer in self.layers:
            x = layer(x)
        x = self.norm(x)
        return {f: self.heads[f.name](x) for f in Field}

    def loss(self, logits, target):
        return sum(F.cross_entropy(logits[f].flatten(0, 1), target[..., f].flatten()) for f in Field)  #! logits[f].flatten(0, 1) => logits[f]

    @torch.no_grad()
    def sample(self, prompt, steps, top_p=0.9):
        notes = prompt
        for _ in range(steps):
            logits = self(notes[:, -self.hp.max_len:])
            fresh = []
            for f in Field:
                probs, order = logits[f][:, -1].softmax(-1).sort(dim=-1, descending=True)
                probs[probs.cumsum(-1) - probs > top_p] = 0.0
                pick = torch.multinomial(probs, 1)
                fresh.append(order.gather(-1, pick))  #! order.gather(-1, pick) => order.gather(-1, pick[0])
            notes = torch.cat([notes, torch.stack(fresh, dim=-1)], dim=1)  #! torch.stack(fresh, dim=-1) => torch.cat(fresh, dim=-1)
        return notes


def main():
    random.seed(0), torch.manual_seed(0)
    hp = Hyper(layers=3)
    with TemporaryDirectory() as name:
        folder = Path(name)
        write_pieces(folder)
        loader = DataLoader(Pieces(folder, hp.max_len), batch_size=4, shuffle=True)
        model = MusicModel(hp)
        optimizer = torch.optim.Adam(model.parameters(), lr=1.0, betas=(0.9, 0.98))
        scheduler = LambdaLR(optimizer, lambda s: hp.dim ** -0.5 * min((s + 1) ** -0.5, (s + 1) * 10 ** -1.5))
        for epoch in range(2):
            for notes, target in loader:
                logits = model(notes)
                loss = model.loss(logits, target)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                scheduler.step()
    reveal_type(logits[Field.PITCH])
    model.eval()
    prompt = torch.zeros(2, 5, len(Field), dtype=torch.long)
    song = model.sample(prompt, 30)
    reveal_type(song)
    print(asdict(hp), loss.item())


if __name__ == "__main__":
    main()

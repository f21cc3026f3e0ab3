"""Streaming speech: an IterableDataset with a shuffle buffer and dynamic batches by size, causal convolutions with caches, CTC with true lengths."""
import itertools
import math
import random

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, IterableDataset, get_worker_info

MEL, VOCAB = 40, 29


class Corpus(IterableDataset):
    def __init__(self, n, seed=0, max_frames=400):
        self.n, self.seed, self.max_frames = n, seed, max_frames

    def utterances(self):
        rng = random.Random(self.seed)
        for _ in range(self.n):
            frames = rng.randint(60, 160)
            text = rng.randint(3, frames // 10)
            yield torch.randn(frames, MEL), torch.randint(1, VOCAB, (text,))  #! torch.randn(frames, MEL) => torch.randn(MEL, frames)

    def __iter__(self):
        info = get_worker_info()
        source = self.utterances()
        if info is not None:
            source = itertools.islice(source, info.id, None, info.num_workers)
        batch, longest = [], 0
        for item in source:
            longest = max(longest, item[0].shape[0])
            if batch and longest * (len(batch) + 1) > self.max_frames:
                yield self.pack(batch)
                batch, longest = [], item[0].shape[0]
            batch.append(item)
        if batch:
            yield self.pack(batch)

    @staticmethod
    def pack(items):
        feats, texts = zip(*items)
        frames = torch.tensor([f.shape[0] for f in feats])
        lengths = torch.tensor([len(t) for t in texts])
        x = nn.utils.rnn.pad_sequence(feats, batch_first=True)
        return x, frames, torch.cat(texts), lengths


class CausalConv(nn.Module):
    def __init__(self, channels, kernel, dilation=1):
        super().__init__()
        self.left = (kernel - 1) * dilation
        self.conv = nn.Conv1d(channels, channels * 2, kernel, dilation=dilation)  #! channels * 2 => channels
        self.norm = nn.LayerNorm(channels)

    def forward(self, x, cache=None):
        y = x.transpose(1, 2)
        y = F.pad(y, (self.left, 0)) if cache is None else torch.cat([cache, y], dim=2)  #! (self.left, 0) => (self.left, 1)
        kept = y[:, :, -self.left:]
        return self.norm(x + F.glu(self.conv(y), dim=1).transpose(1, 2)), kept  #! dim=1).transpose(1, 2) => dim=1)


class Encoder(nn.Module):
    def __init__(self, dim=32, blocks=3):
        super().__init__()
        self.sub = nn.Sequential(nn.Conv2d(1, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 8, 3, 2, 1), nn.ReLU())
        self.proj = nn.Linear(8 * math.ceil(MEL / 4), dim)  #! 8 * math.ceil(MEL / 4) => 8 * MEL // 2
        self.blocks = nn.ModuleList(CausalConv(dim, 3, 2 ** i) for i in range(blocks))
        self.out = nn.Linear(dim, VOCAB)

    def forward(self, x, frames):
        y = self.sub(x.unsqueeze(1))  #! x.unsqueeze(1) => x.unsqueeze(2)
        b, c, t, f = y.shape
        y = self.proj(y.permute(0, 2, 1, 3).reshape(b, t, c * f))  #! reshape(b, t, c * f) => reshape(b, c, t * f)
        for block in self.blocks:
            y, _ = block(y)
        sizes = torch.div(frames + 3, 4, rounding_mode="floor")
        return self.out(y).log_softmax(-1), sizes

    @torch.no_grad()
    def stream(self, chunks):
        caches = [torch.zeros(1, self.proj.out_features, block.left) for block in self.blocks]  #! self.proj.out_features, block.left => block.left, self.proj.out_features
        outs = []
        for chunk in chunks:
            y = self.sub(chunk[None, None])
            y = self.proj(y.permute(0, 2, 1, 3).flatten(2))
            for i, block in enumerate(self.blocks):
                y, caches[i] = block(y, caches[i])
            outs.append(self.out(y))
        return torch.cat(outs, dim=1)


def greedy(logp, sizes):
    best = logp.argmax(-1)
    texts = []
    for row, n in zip(best, sizes):
        merged = torch.unique_consecutive(row[:n])
        texts.append(merged[merged != 0])
    return texts


def main():
    torch.manual_seed(0)
    loader = DataLoader(Corpus(20), batch_size=None)
    model = Encoder()
    opt = torch.optim.Adam(model.parameters())
    for x, frames, texts, lengths in loader:
        logp, sizes = model(x, frames)
        loss = F.ctc_loss(logp.transpose(0, 1), texts, sizes, lengths, zero_infinity=True)  #! logp.transpose(0, 1) => logp
        mask = torch.arange(logp.size(1))[None] < sizes[:, None]
        entropy = -(logp.exp() * logp).sum(-1)[mask].mean()  #! .sum(-1)[mask] => .sum(1)[mask]
        opt.zero_grad()
        (loss + 0.01 * entropy).backward()
        opt.step()
    print(len(greedy(logp, sizes)))
    wave = torch.randn(64, MEL)
    reveal_type(model.stream(wave.split(16)))
    out, kept = model.blocks[2](torch.randn(2, 20, 32))
    reveal_type(out)
    reveal_type(kept)
    whole = model(wave[None], torch.tensor([64]))[0]
    reveal_type(whole)
    print((whole - model.stream([wave])).abs().max())  #! model.stream([wave]) => model.stream([wave[:32]])


if __name__ == "__main__":
    main()

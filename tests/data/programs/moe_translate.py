"""A sparse mixture-of-experts transformer for translation, built of nn.MultiheadAttention; label smoothing; greedy decoding with masks."""
import math
from typing import NamedTuple, Optional
import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, BOS, EOS = 0, 1, 2


class Sizes(NamedTuple):
    src: int = 60
    tgt: int = 70
    dim: int = 32
    heads: int = 4
    experts: int = 4
    top: int = 2
    layers: int = 2


class MoE(nn.Module):
    def __init__(self, dim, experts, top, mult=2):
        super().__init__()
        self.top = top
        self.gate = nn.Linear(dim, experts, bias=False)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(dim, mult * dim), nn.ReLU(), nn.Linear(mult * dim, dim)) for _ in range(experts))

    def forward(self, x):
        shape = x.shape
        x = x.reshape(-1, shape[-1])
        probs = self.gate(x).softmax(-1)
        weights, picks = probs.topk(self.top, dim=-1)
        weights = weights / weights.sum(-1, keepdim=True)  #! keepdim=True => keepdim=False
        out = torch.zeros_like(x)
        for e, expert in enumerate(self.experts):
            rows, slot = (picks == e).nonzero(as_tuple=True)
            out.index_add_(0, rows, expert(x[rows]) * weights[rows, slot, None])  #! weights[rows, slot, None] => weights[rows]
        load = F.one_hot(picks, len(self.experts)).float().sum(1).mean(0)
        self.aux = len(self.experts) * (load * probs.mean(0)).sum()  #! probs.mean(0) => probs.mean(1)
        return out.view(shape)


class Layer(nn.Module):
    def __init__(self, s: Sizes, cross=False):
        super().__init__()
        self.attn = nn.MultiheadAttention(s.dim, s.heads, batch_first=True)  #! batch_first=True => batch_first=False
        self.cross = nn.MultiheadAttention(s.dim, s.heads, batch_first=True, kdim=s.dim, vdim=s.dim) if cross else None
        self.ff = MoE(s.dim, s.experts, s.top)
        self.norms = nn.ModuleList(nn.LayerNorm(s.dim) for _ in range(3))

    def forward(self, x, mask=None, pad=None, memory=None, memory_pad=None):
        y = self.norms[0](x)
        x = x + self.attn(y, y, y, attn_mask=mask, key_padding_mask=pad, need_weights=False)[0]
        if self.cross is not None:
            y, self.weights = self.cross(self.norms[1](x), memory, memory, key_padding_mask=memory_pad)  #! memory, memory, => memory, x,
            x = x + y
        return x + self.ff(self.norms[2](x))


class Translator(nn.Module):
    def __init__(self, s: Sizes):
        super().__init__()
        self.s = s
        self.src, self.tgt = nn.Embedding(s.src, s.dim, PAD), nn.Embedding(s.tgt, s.dim, PAD)
        self.encoder = nn.ModuleList([Layer(s) for _ in range(s.layers)])
        self.decoder = nn.ModuleList([Layer(s, cross=True) for _ in range(s.layers)])
        self.out = nn.Linear(s.dim, s.tgt)
        self.out.weight = self.tgt.weight

    def position(self, n):
        pos = torch.arange(n)[:, None] / 10000 ** (torch.arange(0, self.s.dim, 2) / self.s.dim)
        return torch.stack([pos.sin(), pos.cos()], -1).flatten(1)  #! .flatten(1) => .flatten(0, 1)

    def encode(self, src):
        x = self.src(src) * math.sqrt(self.s.dim) + self.position(src.size(1))  #! src.size(1) => src.size(0)
        for layer in self.encoder:
            x = layer(x, pad=src == PAD)  #! src == PAD => (src == PAD).t()
        return x

    def decode(self, tgt, memory, memory_pad):
        n = tgt.size(1)
        mask = torch.triu(torch.ones(n, n, dtype=torch.bool), 1)
        x = self.tgt(tgt) + self.position(n)
        for layer in self.decoder:
            x = layer(x, mask, tgt == PAD, memory, memory_pad)
        return self.out(x)

    def forward(self, src, tgt):
        return self.decode(tgt, self.encode(src), src == PAD)


def smoothed(logits, target, eps=0.1):
    logp = logits.log_softmax(-1)
    nll = -logp.gather(-1, target.unsqueeze(-1)).squeeze(-1)  #! target.unsqueeze(-1) => target
    loss = (1 - eps) * nll - eps * logp.mean(-1)
    keep = target != PAD
    return (loss * keep).sum() / keep.sum()


@torch.no_grad()
def greedy(model, src, limit=8):
    memory, pad = model.encode(src), src == PAD
    ys = torch.full((src.size(0), 1), BOS)
    done = torch.zeros(src.size(0), dtype=torch.bool)
    while ys.size(1) < limit and not done.all():
        nxt = model.decode(ys, memory, pad)[:, -1].argmax(-1).masked_fill(done, PAD)
        ys = torch.cat([ys, nxt[:, None]], 1)  #! nxt[:, None] => nxt
        done |= nxt == EOS
    return ys


model = Translator(Sizes())
opt = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98))
for _ in range(2):
    src, tgt = torch.randint(3, 60, (6, 11)), torch.randint(3, 70, (6, 9))
    src[:3, 8:], tgt[2:, 7:] = PAD, PAD
    logits = model(src, tgt[:, :-1])  #! tgt[:, :-1] => tgt
    loss = smoothed(logits, tgt[:, 1:]) + 0.01 * sum(layer.ff.aux for layer in model.decoder)
    opt.zero_grad()
    loss.backward()
    opt.step()
reveal_type(logits)
reveal_type(model.encode(src))
reveal_type(model.decoder[0].weights)
reveal_type(model.position(7))
best = greedy(model, src)
reveal_type(best[:, 0])

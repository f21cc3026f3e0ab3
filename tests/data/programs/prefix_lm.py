"""A decoder-only language model: rotary positions, grouped queries, prefix tuning, packing of documents, nucleus sampling, perplexity by windows."""
import math
import json
from dataclasses import dataclass, asdict, replace
from typing import Optional
import numpy as np
import torch
import torch.nn as nn
from torch.nn import functional as F


@dataclass(frozen=True)
class Config:
    vocab: int = 64
    dim: int = 48
    layers: int = 2
    heads: int = 6
    kv_heads: int = 2
    context: int = 32
    dropout: float = 0.0
    multiple_of: int = 16

    @property
    def head_dim(self):
        return self.dim // self.heads

    @property
    def hidden(self):
        h = int(2 * 4 * self.dim / 3)
        return self.multiple_of * ((h + self.multiple_of - 1) // self.multiple_of)


def rope(head_dim, end, theta=10000.0):
    freqs = 1.0 / theta ** (torch.arange(0, head_dim, 2)[: head_dim // 2].float() / head_dim)
    t = torch.arange(end)
    return torch.polar(torch.ones(end, head_dim // 2), torch.outer(t, freqs))  #! torch.ones(end, head_dim // 2) => torch.ones(end, head_dim)


def apply_rope(x, freqs):
    xc = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    freqs = freqs.view(1, xc.size(1), 1, xc.size(-1))  #! 1, xc.size(1), 1, => 1, 1, xc.size(2),
    return torch.view_as_real(xc * freqs).flatten(3).type_as(x)


class RMSNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * self.weight


class Attention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg, self.rep = cfg, cfg.heads // cfg.kv_heads
        self.wq = nn.Linear(cfg.dim, cfg.heads * cfg.head_dim, bias=False)
        self.wk, self.wv = (nn.Linear(cfg.dim, cfg.kv_heads * cfg.head_dim, bias=False) for _ in "kv")  #! cfg.kv_heads * cfg.head_dim => cfg.heads * cfg.kv_heads
        self.wo = nn.Linear(cfg.heads * cfg.head_dim, cfg.dim, bias=False)

    def forward(self, x, freqs, prefix=None, mask=None):
        b, t, _ = x.shape
        c = self.cfg
        q = apply_rope(self.wq(x).view(b, t, c.heads, c.head_dim), freqs)
        k = apply_rope(self.wk(x).view(b, t, c.kv_heads, c.head_dim), freqs)
        v = self.wv(x).view(b, t, c.kv_heads, c.head_dim)
        if prefix is not None:
            pk, pv = prefix
            k, v = torch.cat([pk.expand(b, -1, -1, -1), k], 1), torch.cat([pv.expand(b, -1, -1, -1), v], 1)  #! torch.cat([pk.expand(b, -1, -1, -1), k], 1) => torch.cat([pk, k], 1)
        k, v = (z.repeat_interleave(self.rep, dim=2) for z in (k, v))  #! dim=2 => dim=1
        q, k, v = (z.transpose(1, 2) for z in (q, k, v))
        n = k.size(2) - t
        causal = torch.ones(t, t, dtype=torch.bool).tril()
        full = torch.cat([torch.ones(t, n, dtype=torch.bool), causal], dim=1)
        if mask is not None:
            full = full & torch.cat([torch.ones(b, 1, t, n, dtype=torch.bool), mask[:, None]], dim=-1)  #! mask[:, None] => mask[None]
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=full)
        return self.wo(y.transpose(1, 2).reshape(b, t, -1))


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.attn = Attention(cfg)
        self.w1, self.w3 = nn.Linear(cfg.dim, cfg.hidden, bias=False), nn.Linear(cfg.dim, cfg.hidden, bias=False)
        self.w2 = nn.Linear(cfg.hidden, cfg.dim, bias=False)  #! cfg.hidden, cfg.dim => cfg.dim, cfg.hidden
        self.n1, self.n2 = RMSNorm(cfg.dim), RMSNorm(cfg.dim)

    def forward(self, x, freqs, prefix, mask):
        x = x + self.attn(self.n1(x), freqs, prefix, mask)
        return x + self.w2(F.silu(self.w1(self.n2(x))) * self.w3(self.n2(x)))


class Prefix(nn.Module):
    def __init__(self, cfg, length=4, hidden=24):
        super().__init__()
        self.cfg, self.length = cfg, length
        self.tokens = nn.Embedding(length, cfg.dim)
        self.mlp = nn.Sequential(nn.Linear(cfg.dim, hidden), nn.Tanh(), nn.Linear(hidden, cfg.layers * 2 * cfg.kv_heads * cfg.head_dim))  #! cfg.layers * 2 * cfg.kv_heads => cfg.layers * cfg.kv_heads

    def forward(self):
        p = self.mlp(self.tokens.weight)
        p = p.view(self.length, self.cfg.layers, 2, self.cfg.kv_heads, self.cfg.head_dim)
        return [tuple(layer.unsqueeze(1)) for layer in p.permute(1, 2, 0, 3, 4)]  #! p.permute(1, 2, 0, 3, 4) => p.permute(0, 2, 1, 3, 4)


class LM(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.tok = nn.Embedding(cfg.vocab, cfg.dim)
        self.blocks = nn.ModuleList(Block(cfg) for _ in range(cfg.layers))
        self.norm, self.head = RMSNorm(cfg.dim), nn.Linear(cfg.dim, cfg.vocab, bias=False)
        self.head.weight = self.tok.weight
        self.register_buffer("freqs", rope(cfg.head_dim, 2 * cfg.context), persistent=False)
        self.apply(self._init)

    @staticmethod
    def _init(m):
        if isinstance(m, (nn.Linear, nn.Embedding)):
            nn.init.normal_(m.weight, std=0.02)

    def forward(self, ids, targets=None, prefix: Optional[Prefix] = None, doc: Optional[torch.Tensor] = None):
        x = self.tok(ids)
        freqs = self.freqs[: ids.size(1)]
        mask = None if doc is None else doc[:, :, None] == doc[:, None, :]
        prefixes = [None] * len(self.blocks) if prefix is None else prefix()
        for block, p in zip(self.blocks, prefixes):
            x = block(x, freqs, p, mask)
        logits = self.head(self.norm(x))
        if targets is None:
            return logits, None
        return logits, F.cross_entropy(logits.flatten(0, 1), targets.flatten(), ignore_index=-1)  #! targets.flatten() => targets


def pack(docs, length, eos=0):
    stream, owner = [], []
    for i, d in enumerate(docs):
        stream.extend(d + [eos])
        owner.extend([i] * (len(d) + 1))
    n = (len(stream) - 1) // length
    ids = np.array(stream[: n * length + 1])
    doc = np.array(owner[: n * length]).reshape(n, length)  #! .reshape(n, length) => .reshape(length, n)[:, :1]
    return torch.from_numpy(ids[:-1].reshape(n, length)), torch.from_numpy(ids[1:].reshape(n, length)), torch.from_numpy(doc)


@torch.no_grad()
def sample(model, ids, steps, top_p=0.9, temperature=0.8):
    for _ in range(steps):
        logits, _ = model(ids[:, -model.cfg.context:])
        probs = (logits[:, -1] / temperature).softmax(-1)
        sorted_probs, order = probs.sort(descending=True)
        drop = sorted_probs.cumsum(-1) - sorted_probs > top_p
        sorted_probs[drop] = 0.0
        choice = torch.multinomial(sorted_probs, 1)
        ids = torch.cat([ids, order.gather(-1, choice)], dim=1)  #! order.gather(-1, choice) => order.gather(-1, choice)[:, 0]
    return ids


cfg = replace(Config(), layers=2)
docs = [[(7 * i + j) % 63 + 1 for j in range(20 + i)] for i in range(12)]
ids, targets, doc = pack(docs, cfg.context)
reveal_type(ids)
model, prefix = LM(cfg), Prefix(cfg)
logits, loss = model(ids, targets, doc=doc)
reveal_type(logits)
loss.backward()
opt = torch.optim.AdamW(prefix.parameters(), lr=1e-3)
_, loss = model(ids[:4], targets[:4], prefix=prefix)  #! targets[:4], prefix => targets[:5], prefix
loss.backward()
opt.step()
generated = sample(model.eval(), torch.ones(2, 3, dtype=torch.long), 6)
reveal_type(generated)
stride, seen = 16, ids.flatten()
windows = seen.unfold(0, cfg.context, stride)
reveal_type(windows)
with torch.no_grad():
    nll = torch.stack([model(w[None, :-1], w[None, 1:])[1] for w in windows])  #! w[None, 1:] => w[None]
reveal_type(nll)
print(json.dumps(asdict(cfg)), math.exp(nll.mean().item()))
reveal_type(model.blocks[0].w1.weight)

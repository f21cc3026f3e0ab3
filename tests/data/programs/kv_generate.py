"""A decoder with rotary embeddings and a preallocated cache of keys and values; sampling with top-k and top-p; batched prompts."""
import math
from dataclasses import dataclass
from typing import Optional

import torch
from torch import nn
from torch.nn import functional as F


@dataclass
class Args:
    dim: int = 64
    n_layers: int = 2
    n_heads: int = 8
    n_kv_heads: Optional[int] = 2
    vocab_size: int = 97
    multiple_of: int = 16
    max_batch: int = 4
    max_seq: int = 32


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight  #! keepdim=True => keepdim=False


def rope_table(dim, length, theta=10000.0):
    freqs = 1.0 / theta ** (torch.arange(0, dim, 2)[: dim // 2].float() / dim)
    angles = torch.outer(torch.arange(length).float(), freqs)
    return torch.polar(torch.ones_like(angles), angles)


def rotate(x, table):
    z = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))  #! -1, 2 => 2, -1
    table = table.view(1, z.shape[1], 1, z.shape[-1])  #! 1, z.shape[1], 1, z.shape[-1] => 1, 1, z.shape[1], z.shape[-1]
    return torch.view_as_real(z * table).flatten(3).type_as(x)  #! flatten(3) => flatten(2)


class Attention(nn.Module):
    def __init__(self, args: Args):
        super().__init__()
        self.kv = args.n_heads if args.n_kv_heads is None else args.n_kv_heads
        self.heads, self.hd = args.n_heads, args.dim // args.n_heads
        self.rep = self.heads // self.kv
        self.wq = nn.Linear(args.dim, self.heads * self.hd, bias=False)
        self.wk = nn.Linear(args.dim, self.kv * self.hd, bias=False)
        self.wv = nn.Linear(args.dim, self.kv * self.hd, bias=False)
        self.wo = nn.Linear(self.heads * self.hd, args.dim, bias=False)
        self.cache_k = torch.zeros(args.max_batch, args.max_seq, self.kv, self.hd)
        self.cache_v = torch.zeros(args.max_batch, args.max_seq, self.kv, self.hd)  #! self.kv, self.hd => self.heads, self.hd

    def forward(self, x, start, table, mask):
        b, t, _ = x.shape
        q = rotate(self.wq(x).view(b, t, self.heads, self.hd), table)
        k = rotate(self.wk(x).view(b, t, self.kv, self.hd), table)  #! self.kv => self.heads
        v = self.wv(x).view(b, t, self.kv, self.hd)
        self.cache_k[:b, start:start + t] = k.detach()
        self.cache_v[:b, start:start + t] = v.detach()
        keys = self.cache_k[:b, : start + t].repeat_interleave(self.rep, dim=2)  #! self.rep => self.kv
        values = self.cache_v[:b, : start + t].repeat_interleave(self.rep, dim=2)
        q, keys, values = (z.transpose(1, 2) for z in (q, keys, values))
        scores = q @ keys.transpose(2, 3) / math.sqrt(self.hd)  #! keys.transpose(2, 3) => keys
        if mask is not None:
            scores = scores + mask
        out = (F.softmax(scores, dim=-1) @ values).transpose(1, 2).contiguous().view(b, t, -1)
        return self.wo(out)


class FeedForward(nn.Module):
    def __init__(self, dim, multiple_of):
        super().__init__()
        hidden = int(2 * 4 * dim / 3)
        hidden = multiple_of * ((hidden + multiple_of - 1) // multiple_of)
        self.w1, self.w2, self.w3 = nn.Linear(dim, hidden), nn.Linear(hidden, dim), nn.Linear(dim, hidden)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Layer(nn.Module):
    def __init__(self, args):
        super().__init__()
        self.attention, self.ff = Attention(args), FeedForward(args.dim, args.multiple_of)
        self.n1, self.n2 = RMSNorm(args.dim), RMSNorm(args.dim)

    def forward(self, x, *rest):
        h = x + self.attention(self.n1(x), *rest)
        return h + self.ff(self.n2(h))


class Decoder(nn.Module):
    def __init__(self, args: Args):
        super().__init__()
        self.args = args
        self.tok = nn.Embedding(args.vocab_size, args.dim)
        self.layers = nn.ModuleList([Layer(args) for _ in range(args.n_layers)])
        self.norm, self.out = RMSNorm(args.dim), nn.Linear(args.dim, args.vocab_size, bias=False)
        self.register_buffer("table", rope_table(args.dim // args.n_heads, args.max_seq * 2), persistent=False)  #! args.dim // args.n_heads => args.dim

    @torch.inference_mode()
    def forward(self, tokens, start):
        b, t = tokens.shape
        h = self.tok(tokens)
        table = self.table[start: start + t]
        mask = None
        if t > 1:
            mask = torch.full((t, t), float("-inf")).triu(1)
            mask = torch.hstack([torch.zeros(t, start), mask])
        for layer in self.layers:
            h = layer(h, start, table, mask)
        return self.out(self.norm(h))


def top_p(probs, p):
    ordered, index = torch.sort(probs, dim=-1, descending=True)
    total = ordered.cumsum(-1)
    ordered[total - ordered > p] = 0.0
    ordered.div_(ordered.sum(-1, keepdim=True))
    return index.gather(-1, torch.multinomial(ordered, 1))


@torch.inference_mode()
def generate(model, prompts, new, temperature=0.8):
    args = model.args
    lengths = [len(p) for p in prompts]
    total = min(args.max_seq, new + max(lengths))
    tokens = torch.full((len(prompts), total), -1, dtype=torch.long)
    for i, p in enumerate(prompts):
        tokens[i, : len(p)] = torch.tensor(p)  #! tokens[i, : len(p)] => tokens[i, : len(p) + 1]
    known, before = tokens != -1, 0
    for position in range(min(lengths), total):
        logits = model(tokens[:, before:position], before)
        probs = torch.softmax(logits[:, -1] / temperature, dim=-1)
        following = top_p(probs, 0.9).reshape(-1)
        tokens[:, position] = torch.where(known[:, position], tokens[:, position], following)  #! known[:, position] => known
        before = position
    reveal_type(logits)
    return tokens


if __name__ == "__main__":
    torch.manual_seed(0)
    decoder = Decoder(Args())
    full = decoder(torch.randint(0, 97, (2, 10)), 0)
    reveal_type(full)
    reveal_type(decoder.layers[0].attention.cache_k)
    print(generate(decoder, [[1, 2, 3], [5, 6, 7, 8, 9]], 6).shape)
    reveal_type(generate(decoder, [[1, 2, 3], [5, 6, 7, 8, 9]], 6))

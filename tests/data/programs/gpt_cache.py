"""A small decoder-only transformer with rotary positions and a key-value cache."""
import math
from dataclasses import dataclass
from typing import Optional, Tuple

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass
class ModelArgs:
    dim: int = 64
    n_layers: int = 2
    n_heads: int = 4
    n_kv_heads: Optional[int] = 2
    vocab_size: int = 100
    multiple_of: int = 16
    max_batch: int = 4
    max_seq_len: int = 32


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def _norm(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)  #! -1, keepdim=True => -1

    def forward(self, x):
        return self._norm(x.float()).type_as(x) * self.weight


def precompute_freqs(dim: int, end: int, theta: float = 10000.0):
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: (dim // 2)].float() / dim))
    t = torch.arange(end)
    freqs = torch.outer(t, freqs).float()
    return torch.cos(freqs), torch.sin(freqs)


def apply_rotary(x, cos, sin):
    x1, x2 = x.chunk(2, dim=-1)
    cos = cos[None, :, None, :]  #! [None, :, None, :] => [None, None, :, :]
    sin = sin[None, :, None, :]
    return torch.cat((x1 * cos - x2 * sin, x1 * sin + x2 * cos), dim=-1)


def repeat_kv(x: torch.Tensor, n_rep: int) -> torch.Tensor:
    bs, slen, n_kv_heads, head_dim = x.shape
    if n_rep == 1:
        return x
    return (
        x[:, :, :, None, :]
        .expand(bs, slen, n_kv_heads, n_rep, head_dim)
        .reshape(bs, slen, n_kv_heads * n_rep, head_dim)
    )


class Attention(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.n_kv_heads = args.n_heads if args.n_kv_heads is None else args.n_kv_heads
        self.n_heads = args.n_heads
        self.n_rep = self.n_heads // self.n_kv_heads  #! self.n_heads // self.n_kv_heads => self.n_kv_heads
        self.head_dim = args.dim // args.n_heads
        self.wq = nn.Linear(args.dim, args.n_heads * self.head_dim, bias=False)
        self.wk = nn.Linear(args.dim, self.n_kv_heads * self.head_dim, bias=False)  #! self.n_kv_heads * => args.n_heads *
        self.wv = nn.Linear(args.dim, self.n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(args.n_heads * self.head_dim, args.dim, bias=False)
        self.register_buffer("cache_k", torch.zeros(args.max_batch, args.max_seq_len, self.n_kv_heads, self.head_dim), persistent=False)
        self.register_buffer("cache_v", torch.zeros(args.max_batch, args.max_seq_len, self.n_kv_heads, self.head_dim), persistent=False)

    def forward(self, x, start_pos, freqs, mask):
        bsz, seqlen, _ = x.shape
        xq, xk, xv = self.wq(x), self.wk(x), self.wv(x)
        xq = xq.view(bsz, seqlen, self.n_heads, self.head_dim)
        xk = xk.view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        xv = xv.view(bsz, seqlen, self.n_kv_heads, self.head_dim)
        xq, xk = apply_rotary(xq, *freqs), apply_rotary(xk, *freqs)
        self.cache_k[:bsz, start_pos : start_pos + seqlen] = xk  #! start_pos + seqlen => start_pos + seqlen - 1
        self.cache_v[:bsz, start_pos : start_pos + seqlen] = xv
        keys = self.cache_k[:bsz, : start_pos + seqlen]
        values = self.cache_v[:bsz, : start_pos + seqlen]
        keys, values = repeat_kv(keys, self.n_rep), repeat_kv(values, self.n_rep)
        xq, keys, values = (t.transpose(1, 2) for t in (xq, keys, values))
        scores = torch.matmul(xq, keys.transpose(2, 3)) / math.sqrt(self.head_dim)  #! transpose(2, 3) => transpose(1, 2)
        if mask is not None:
            scores = scores + mask
        scores = F.softmax(scores.float(), dim=-1).type_as(xq)
        out = torch.matmul(scores, values)
        out = out.transpose(1, 2).contiguous().view(bsz, seqlen, -1)  #! .transpose(1, 2).contiguous().view => .transpose(1, 2).view
        return self.wo(out)


class FeedForward(nn.Module):
    def __init__(self, dim, hidden_dim, multiple_of):
        super().__init__()
        hidden_dim = int(2 * hidden_dim / 3)
        hidden_dim = multiple_of * ((hidden_dim + multiple_of - 1) // multiple_of)
        self.w1 = nn.Linear(dim, hidden_dim, bias=False)
        self.w2 = nn.Linear(hidden_dim, dim, bias=False)  #! hidden_dim, dim => dim, hidden_dim
        self.w3 = nn.Linear(dim, hidden_dim, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    def __init__(self, layer_id: int, args: ModelArgs):
        super().__init__()
        self.layer_id = layer_id
        self.attention = Attention(args)
        self.feed_forward = FeedForward(args.dim, 4 * args.dim, args.multiple_of)
        self.attention_norm = RMSNorm(args.dim)
        self.ffn_norm = RMSNorm(args.dim)

    def forward(self, x, start_pos, freqs, mask):
        h = x + self.attention(self.attention_norm(x), start_pos, freqs, mask)
        return h + self.feed_forward(self.ffn_norm(h))


class Transformer(nn.Module):
    def __init__(self, args: ModelArgs):
        super().__init__()
        self.args = args
        self.tok_embeddings = nn.Embedding(args.vocab_size, args.dim)
        self.layers = nn.ModuleList()
        for layer_id in range(args.n_layers):
            self.layers.append(Block(layer_id, args))
        self.norm = RMSNorm(args.dim)
        self.output = nn.Linear(args.dim, args.vocab_size, bias=False)
        self.output.weight = self.tok_embeddings.weight
        self.cos, self.sin = precompute_freqs(args.dim // args.n_heads, args.max_seq_len * 2)  #! args.dim // args.n_heads, => args.dim,

    @torch.inference_mode()
    def forward(self, tokens, start_pos: int):
        _, seqlen = tokens.shape
        h = self.tok_embeddings(tokens)
        freqs = self.cos[start_pos : start_pos + seqlen], self.sin[start_pos : start_pos + seqlen]
        mask = None
        if seqlen > 1:
            mask = torch.full((seqlen, seqlen), float("-inf"))
            mask = torch.triu(mask, diagonal=1)
            mask = torch.hstack([torch.zeros((seqlen, start_pos)), mask]).type_as(h)
        for layer in self.layers:
            h = layer(h, start_pos, freqs, mask)
        h = self.norm(h)
        return self.output(h).float()


def generate(model: Transformer, prompt: torch.Tensor, steps: int) -> Tuple[torch.Tensor, torch.Tensor]:
    tokens = prompt
    start = 0
    logits = model(tokens, start)
    reveal_type(logits)
    for _ in range(steps):
        next_token = torch.argmax(logits[:, -1], dim=-1)
        tokens = torch.cat([tokens, next_token[:, None]], dim=1)  #! next_token[:, None] => next_token
        start = tokens.shape[1] - 1
        logits = model(tokens[:, start:], start)  #! tokens[:, start:] => tokens[:, start]
    reveal_type(logits)
    return tokens, logits


if __name__ == "__main__":
    torch.manual_seed(0)
    net = Transformer(ModelArgs())
    out, _ = generate(net, torch.randint(0, 100, (2, 5)), 4)
    reveal_type(out)

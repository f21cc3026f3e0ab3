"""T5 in small: relative position buckets, RMS norm, gated feed-forward, cross-attention, key/value cache, span corruption, greedy generation."""
import math
from dataclasses import dataclass
from typing import Optional, Tuple
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class T5Config:
    vocab_size: int = 96
    d_model: int = 32
    d_kv: int = 8
    num_heads: int = 6
    d_ff: int = 64
    num_layers: int = 2
    buckets: int = 8
    max_distance: int = 32
    pad: int = 0
    eos: int = 1
    sentinels: int = 10

    @property
    def inner_dim(self):
        return self.d_kv * self.num_heads


class T5LayerNorm(nn.Module):
    def __init__(self, size, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(size))
        self.eps = eps

    def forward(self, x):
        variance = x.to(torch.float32).pow(2).mean(-1, keepdim=True)  #! keepdim=True => keepdim=False
        return self.weight * (x * torch.rsqrt(variance + self.eps))


class T5Attention(nn.Module):
    def __init__(self, cfg, bidirectional, has_bias=False):
        super().__init__()
        self.cfg, self.bidirectional, self.has_bias = cfg, bidirectional, has_bias
        self.q = nn.Linear(cfg.d_model, cfg.inner_dim, bias=False)
        self.k = nn.Linear(cfg.d_model, cfg.inner_dim, bias=False)  #! cfg.d_model, cfg.inner_dim => cfg.d_model, cfg.d_model
        self.v = nn.Linear(cfg.d_model, cfg.inner_dim, bias=False)
        self.o = nn.Linear(cfg.inner_dim, cfg.d_model, bias=False)  #! cfg.inner_dim, cfg.d_model => cfg.d_model, cfg.d_model
        if has_bias:
            self.relative_attention_bias = nn.Embedding(cfg.buckets, cfg.num_heads)  #! cfg.buckets, cfg.num_heads => cfg.buckets, cfg.num_heads + 1

    def _bucket(self, relative_position):
        num_buckets, max_distance = self.cfg.buckets, self.cfg.max_distance
        ret = torch.zeros_like(relative_position)
        if self.bidirectional:
            num_buckets //= 2
            ret += (relative_position > 0).to(torch.long) * num_buckets
            n = torch.abs(relative_position)
        else:
            n = -torch.min(relative_position, torch.zeros_like(relative_position))
        max_exact = num_buckets // 2
        is_small = n < max_exact
        large = max_exact + (torch.log(n.float() / max_exact + 1e-6) / math.log(max_distance / max_exact) * (num_buckets - max_exact)).long()
        large = torch.min(large, torch.full_like(large, num_buckets - 1))
        return ret + torch.where(is_small, n, large)

    def bias(self, q_len, k_len):
        context = torch.arange(q_len)[:, None] + (k_len - q_len if not self.bidirectional else 0)
        memory = torch.arange(k_len)[None, :]
        values = self.relative_attention_bias(self._bucket(memory - context))
        return values.permute([2, 0, 1]).unsqueeze(0)  #! [2, 0, 1] => [1, 0, 2]

    def forward(self, x, kv=None, mask=None, position_bias=None, past: Optional[Tuple[torch.Tensor, torch.Tensor]] = None, use_cache=False):
        b = x.size(0)
        split = lambda t: t.view(b, -1, self.cfg.num_heads, self.cfg.d_kv).transpose(1, 2)
        q = split(self.q(x))
        if kv is not None and past is not None:
            k, v = past
        else:
            source = x if kv is None else kv
            k, v = split(self.k(source)), split(self.v(source))
            if past is not None:
                k, v = torch.cat([past[0], k], dim=2), torch.cat([past[1], v], dim=2)  #! torch.cat([past[0], k], dim=2) => torch.cat([past[0], k], dim=1)
        scores = q @ k.transpose(3, 2)
        if position_bias is None:
            position_bias = self.bias(q.size(2), k.size(2)) if self.has_bias else torch.zeros(1, self.cfg.num_heads, q.size(2), k.size(2))
            if mask is not None:
                position_bias = position_bias + mask
        scores += position_bias
        y = F.dropout(scores.float().softmax(-1), 0.1, self.training) @ v
        y = self.o(y.transpose(1, 2).contiguous().view(b, -1, self.cfg.inner_dim))
        return y, position_bias, ((k, v) if use_cache else None)


class GatedFF(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.wi_0, self.wi_1 = nn.Linear(cfg.d_model, cfg.d_ff, bias=False), nn.Linear(cfg.d_model, cfg.d_ff, bias=False)  #! cfg.d_ff, bias=False), nn => cfg.d_ff // 2, bias=False), nn
        self.wo = nn.Linear(cfg.d_ff, cfg.d_model, bias=False)

    def forward(self, x):
        return self.wo(F.gelu(self.wi_0(x), approximate="tanh") * self.wi_1(x))


class Block(nn.Module):
    def __init__(self, cfg, decoder, has_bias):
        super().__init__()
        self.self_attn, self.norm1 = T5Attention(cfg, not decoder, has_bias), T5LayerNorm(cfg.d_model)
        self.cross = T5Attention(cfg, True) if decoder else None
        self.norm2 = T5LayerNorm(cfg.d_model) if decoder else None
        self.ff, self.norm3 = GatedFF(cfg), T5LayerNorm(cfg.d_model)

    def forward(self, x, bias, mask, memory=None, memory_mask=None, past=None, use_cache=False):
        y, bias, present = self.self_attn(self.norm1(x), mask=mask, position_bias=bias, past=past[0] if past else None, use_cache=use_cache)
        x = x + y
        cross_present = None
        if self.cross is not None:
            y, _, cross_present = self.cross(self.norm2(x), kv=memory, mask=memory_mask, past=past[1] if past else None, use_cache=use_cache)
            x = x + y
        return x + self.ff(self.norm3(x)), bias, (present, cross_present)


class Stack(nn.Module):
    def __init__(self, cfg, embed, decoder=False):
        super().__init__()
        self.embed, self.decoder = embed, decoder
        self.blocks = nn.ModuleList([Block(cfg, decoder, has_bias=i == 0) for i in range(cfg.num_layers)])
        self.norm = T5LayerNorm(cfg.d_model)

    def forward(self, ids, mask=None, memory=None, memory_mask=None, past=None, use_cache=False):
        x = self.embed(ids)
        total = ids.size(1) + (past[0][0][0].size(2) if past is not None else 0)
        if self.decoder:
            causal = torch.ones(total, total).triu(1)[-ids.size(1):] * -1e9
            attn_mask = causal[None, None]
        else:
            attn_mask = (1.0 - mask[:, None, None, :].float()) * -1e9  #! mask[:, None, None, :] => mask[:, None, :]
        bias, presents = None, []
        for i, block in enumerate(self.blocks):
            x, bias, present = block(x, bias, attn_mask, memory, memory_mask, past[i] if past else None, use_cache)
            presents.append(present)
        return self.norm(x), presents


class T5(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.shared = nn.Embedding(cfg.vocab_size, cfg.d_model)
        self.encoder, self.decoder = Stack(cfg, self.shared), Stack(cfg, self.shared, decoder=True)

    def shift_right(self, labels):
        shifted = labels.new_zeros(labels.shape)
        shifted[..., 1:] = labels[..., :-1].clone()  #! labels[..., :-1] => labels[..., :-2]
        return shifted.masked_fill(shifted == -100, self.cfg.pad)

    def logits(self, x):
        return (x * self.cfg.d_model ** -0.5) @ self.shared.weight.T

    def forward(self, ids, labels):
        mask = ids.ne(self.cfg.pad)
        memory, _ = self.encoder(ids, mask)
        memory_mask = (1.0 - mask[:, None, None, :].float()) * -1e9
        x, _ = self.decoder(self.shift_right(labels), memory=memory, memory_mask=memory_mask)
        logits = self.logits(x)
        return F.cross_entropy(logits.view(-1, logits.size(-1)), labels.view(-1), ignore_index=-100), logits  #! logits.view(-1, logits.size(-1)) => logits.transpose(1, 2)

    @torch.no_grad()
    def generate(self, ids, max_len=6):
        mask = ids.ne(self.cfg.pad)
        memory, _ = self.encoder(ids, mask)
        memory_mask = (1.0 - mask[:, None, None, :].float()) * -1e9
        out = ids.new_zeros((ids.size(0), 1))
        past, finished = None, torch.zeros(ids.size(0), dtype=torch.bool)
        for _ in range(max_len):
            x, past = self.decoder(out[:, -1:], memory=memory, memory_mask=memory_mask, past=past, use_cache=True)
            nxt = self.logits(x[:, -1]).argmax(-1)
            nxt = torch.where(finished, torch.full_like(nxt, self.cfg.pad), nxt)
            out = torch.cat([out, nxt.unsqueeze(-1)], dim=-1)  #! nxt.unsqueeze(-1) => nxt
            finished |= nxt == self.cfg.eos
        return out


def corrupt(tokens, cfg, rng, density=0.15):
    """Replaces spans by sentinels; both sides are padded to fixed lengths."""
    n = len(tokens)
    noise = rng.random(n) < density
    noise[0] = False
    first = np.append([False], noise[:-1])
    starts = noise & ~first  #! ~first => ~first[1:]
    ids = np.where(starts, cfg.vocab_size - np.cumsum(starts), tokens)
    source = ids[~(noise & first)]
    target = tokens[noise]
    fix = lambda a, length, value: np.pad(a, (0, max(0, length - len(a))), constant_values=value)[:length]
    return fix(source, 20, cfg.pad), fix(target, 8, -100)


cfg = T5Config()
rng = np.random.default_rng(0)
pairs = [corrupt(rng.integers(2, 80, size=24), cfg, rng) for _ in range(4)]
ids, labels = (torch.from_numpy(np.stack(side)).long() for side in zip(*pairs))
reveal_type(ids)
reveal_type(labels)
model = T5(cfg)
loss, logits = model(ids, labels)
reveal_type(logits)
loss.backward()
model.eval()
reveal_type(model.encoder.blocks[0].self_attn.bias(5, 7))
generated = model.generate(ids)
reveal_type(generated[0][:3])

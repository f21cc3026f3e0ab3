"""A decoder as the large ones are: grouped queries, complex rotations, windows, cache objects, sampling with penalties."""
from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, Callable, Iterable, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


@dataclass(kw_only=True)
class Config:
    dim: int = 48
    n_layers: int = 2
    n_heads: int = 6
    n_kv_heads: int = 2
    vocab: int = 70
    window: int | None = 6
    max_len: int = 64
    theta: float = 10000.0
    norm_eps: float = 1e-5
    tie: bool = True

    @property
    def head_dim(self) -> int:
        return self.dim // self.n_heads

    @classmethod
    def from_json(cls, text: str) -> Config:
        return cls(**{k: v for k, v in json.loads(text).items() if k in cls.__dataclass_fields__})


class Cache:
    def __init__(self):
        self.key_cache: list[torch.Tensor] = []
        self.value_cache: list[torch.Tensor] = []

    def update(self, keys, values, layer: int):
        if len(self.key_cache) <= layer:
            self.key_cache.append(keys)
            self.value_cache.append(values)
        else:
            self.key_cache[layer] = torch.cat([self.key_cache[layer], keys], dim=-2)  #! keys], dim=-2 => keys], dim=-1
            self.value_cache[layer] = torch.cat([self.value_cache[layer], values], dim=-2)
        return self.key_cache[layer], self.value_cache[layer]

    def get_seq_length(self, layer: int = 0) -> int:
        return self.key_cache[layer].shape[-2] if len(self.key_cache) > layer else 0

    def crop(self, length):
        for i in range(len(self.key_cache)):
            self.key_cache[i], self.value_cache[i] = self.key_cache[i][..., :length, :], self.value_cache[i][..., :length, :]

    def reorder(self, beam_idx):
        for caches in (self.key_cache, self.value_cache):
            for i, c in enumerate(caches):
                caches[i] = c.index_select(0, beam_idx)


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, max_len, theta):
        super().__init__()
        freqs = 1.0 / (theta ** (torch.arange(0, dim, 2)[: dim // 2].float() / dim))
        angles = torch.outer(torch.arange(max_len), freqs).float()
        self.register_buffer("cis", torch.polar(torch.ones_like(angles), angles), persistent=False)

    def forward(self, x, positions):
        x_ = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
        cis = self.cis[positions]
        return torch.view_as_real(x_ * cis).flatten(-2).type_as(x)


class Attention(nn.Module):
    def __init__(self, cfg: Config, layer: int):
        super().__init__()
        self.cfg, self.layer = cfg, layer
        self.q_proj = nn.Linear(cfg.dim, cfg.n_heads * cfg.head_dim, bias=False)
        self.k_proj = nn.Linear(cfg.dim, cfg.n_kv_heads * cfg.head_dim, bias=False)  #! cfg.n_kv_heads * cfg.head_dim => cfg.n_heads * cfg.head_dim
        self.v_proj = nn.Linear(cfg.dim, cfg.n_kv_heads * cfg.head_dim, bias=False)
        self.o_proj = nn.Linear(cfg.n_heads * cfg.head_dim, cfg.dim, bias=False)
        self.q_norm, self.k_norm = nn.RMSNorm(cfg.head_dim), nn.RMSNorm(cfg.head_dim)
        self.rotary = RotaryEmbedding(cfg.head_dim, cfg.max_len, cfg.theta)  #! cfg.head_dim, cfg.max_len => cfg.dim, cfg.max_len
        self.window = cfg.window if layer % 2 == 0 else None

    def forward(self, x, positions, mask: torch.Tensor | None, cache: Cache | None):
        input_shape = x.shape[:-1]
        hidden_shape = (*input_shape, -1, self.cfg.head_dim)
        q = self.rotary(self.q_norm(self.q_proj(x).view(hidden_shape)).transpose(1, 2), positions)
        k = self.rotary(self.k_norm(self.k_proj(x).view(hidden_shape)).transpose(1, 2), positions)
        v = self.v_proj(x).view(hidden_shape).transpose(1, 2)
        if cache is not None:
            k, v = cache.update(k, v, self.layer)
        if mask is None or self.window is not None:
            kv_positions = torch.arange(k.shape[-2])
            distance = positions[:, None] - kv_positions[None, :]
            mask = distance >= 0
            if self.window is not None:
                mask &= distance < self.window
        out = F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True)  #! , enable_gqa=True => 
        return self.o_proj(out.transpose(1, 2).reshape(*input_shape, -1))


class SwiGLU(nn.Module):
    def __init__(self, dim, multiple=8):
        super().__init__()
        hidden = multiple * math.ceil(dim * 8 / 3 / multiple)
        self.gate_up, self.down = nn.Linear(dim, 2 * hidden, bias=False), nn.Linear(hidden, dim, bias=False)

    def forward(self, x):
        gate, up = self.gate_up(x).tensor_split(2, dim=-1)
        return self.down(F.silu(gate) * up)


class Layer(nn.Module):
    def __init__(self, cfg, index):
        super().__init__()
        self.attn, self.mlp = Attention(cfg, index), SwiGLU(cfg.dim)
        self.norms = nn.ModuleDict({k: nn.RMSNorm(cfg.dim, eps=cfg.norm_eps) for k in ("attn", "mlp")})

    def forward(self, x, **kwargs):
        x = x + self.attn(self.norms["attn"](x), **kwargs)
        return x + self.mlp(self.norms["mlp"](x))


class Decoder(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        self.embed = nn.Embedding(cfg.vocab, cfg.dim)
        self.layers = nn.ModuleList(Layer(cfg, i) for i in range(cfg.n_layers))
        self.norm = nn.RMSNorm(cfg.dim)
        self.head = nn.Linear(cfg.dim, cfg.vocab, bias=False)
        if cfg.tie:
            self.head.weight = self.embed.weight

    def forward(self, ids, cache: Optional[Cache] = None, logits_to_keep: int | slice = 0):
        past = cache.get_seq_length() if cache is not None else 0
        positions = torch.arange(past, past + ids.shape[1])
        x = self.embed(ids)
        for layer in self.layers:
            x = layer(x, positions=positions, mask=None, cache=cache)
        kept = slice(-logits_to_keep, None) if isinstance(logits_to_keep, int) else logits_to_keep
        return self.head(self.norm(x)[:, kept, :])

    @torch.no_grad()
    def generate(self, ids, max_new: int, processors: Iterable[Callable[[torch.Tensor, torch.Tensor], torch.Tensor]] = (), eos: int = 0):
        cache = Cache()
        unfinished = torch.ones(ids.shape[0], dtype=torch.long)
        for step in range(max_new):
            inputs = ids if step == 0 else ids[:, -1:]  #! ids[:, -1:] => ids[:, -1]
            logits = self(inputs, cache=cache, logits_to_keep=1)[:, -1].float()
            for processor in processors:
                logits = processor(ids, logits)
            token = torch.multinomial(logits.softmax(-1), num_samples=1).squeeze(1)
            token = token * unfinished + eos * (1 - unfinished)
            ids = torch.cat([ids, token[:, None]], dim=-1)
            unfinished = unfinished.mul(token.ne(eos).long())
        return ids, cache


def repetition_penalty(penalty=1.2):
    def process(ids, scores):
        score = torch.gather(scores, 1, ids)
        return scores.scatter(1, ids, torch.where(score < 0, score * penalty, score / penalty))

    return process


def top_p(p=0.9, keep=1):
    def process(ids, scores):
        sorted_logits, sorted_indices = torch.sort(scores, descending=False)
        cumulative = sorted_logits.softmax(dim=-1).cumsum(dim=-1)
        remove = cumulative <= (1 - p)
        remove[..., -keep:] = 0
        remove = remove.scatter(1, sorted_indices, remove)  #! scatter(1, sorted_indices, remove) => scatter(1, sorted_indices, remove[:, :1])
        return scores.masked_fill(remove, -float("inf"))

    return process


if __name__ == "__main__":
    cfg = Config.from_json('{"dim": 48, "n_heads": 6, "name": "tiny"}')
    model = Decoder(cfg)
    ids = torch.randint(1, cfg.vocab, (3, 10))
    logits = model(ids)
    reveal_type(logits)
    F.cross_entropy(logits[:, :-1].reshape(-1, cfg.vocab), ids[:, 1:].reshape(-1)).backward()
    out, cache = model.eval().generate(ids, 5, [repetition_penalty(), top_p()])
    reveal_type(out)
    reveal_type(cache.key_cache[1])
    cache.crop(8)
    cache.reorder(torch.tensor([2, 0, 1]))
    reveal_type(cache.value_cache[0])
    reveal_type(model(out[:, :2], cache=cache))

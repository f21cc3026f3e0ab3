"""A small GPT library: rotary positions, grouped heads, preallocated KV cache, LoRA adapters, checkpointing, sampling."""
from dataclasses import dataclass
from typing import Optional, Tuple
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint


@dataclass
class Args:
    vocab: int = 97
    dim: int = 48
    layers: int = 2
    heads: int = 6
    kv_heads: Optional[int] = 2
    hidden_mult: int = 4
    multiple_of: int = 16
    max_len: int = 32
    max_batch: int = 4

    def __post_init__(self):
        self.kv_heads = self.kv_heads or self.heads
        assert self.dim % self.heads == 0

    @property
    def head_dim(self):
        return self.dim // self.heads


def rope_table(dim, end, theta=10000.0):
    freqs = 1.0 / theta ** (torch.arange(0, dim, 2)[: dim // 2].float() / dim)
    angles = torch.outer(torch.arange(end), freqs)  #! torch.outer(torch.arange(end), freqs) => torch.outer(freqs, torch.arange(end))
    return torch.polar(torch.ones_like(angles), angles)


def apply_rope(x, freqs):
    xc = torch.view_as_complex(x.float().reshape(*x.shape[:-1], -1, 2))
    return torch.view_as_real(xc * freqs[None, :, None, :]).flatten(3).type_as(x)  #! freqs[None, :, None, :] => freqs[None, None, :, :]


class LoRALinear(nn.Linear):
    def __init__(self, in_features, out_features, r=4, alpha=8, **kw):
        super().__init__(in_features, out_features, **kw)
        self.lora_a = nn.Parameter(torch.randn(r, in_features) * 0.01)
        self.lora_b = nn.Parameter(torch.zeros(out_features, r))  #! torch.zeros(out_features, r) => torch.zeros(r, out_features)
        self.scaling = alpha / r

    def forward(self, x):
        return super().forward(x) + (x @ self.lora_a.T @ self.lora_b.T) * self.scaling


class RMSNorm(nn.Module):
    def __init__(self, dim, eps=1e-6):
        super().__init__()
        self.eps, self.weight = eps, nn.Parameter(torch.ones(dim))

    def forward(self, x):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps) * self.weight  #! keepdim=True => keepdim=False


class Attention(nn.Module):
    def __init__(self, a: Args):
        super().__init__()
        self.a = a
        self.wq = LoRALinear(a.dim, a.heads * a.head_dim, bias=False)
        self.wk = nn.Linear(a.dim, a.kv_heads * a.head_dim, bias=False)  #! a.kv_heads * a.head_dim => a.heads * a.head_dim + 2
        self.wv = LoRALinear(a.dim, a.kv_heads * a.head_dim, bias=False)
        self.wo = nn.Linear(a.heads * a.head_dim, a.dim, bias=False)
        shape = (a.max_batch, a.max_len, a.kv_heads, a.head_dim)
        self.register_buffer("k_cache", torch.zeros(shape), persistent=False)
        self.register_buffer("v_cache", torch.zeros(shape), persistent=False)

    def forward(self, x, start, freqs, mask, use_cache):
        b, t, _ = x.shape
        q = self.wq(x).view(b, t, self.a.heads, self.a.head_dim)
        k, v = (w(x).view(b, t, self.a.kv_heads, self.a.head_dim) for w in (self.wk, self.wv))
        q, k = apply_rope(q, freqs), apply_rope(k, freqs)
        if use_cache:
            self.k_cache[:b, start:start + t] = k
            self.v_cache[:b, start:start + t] = v
            k, v = self.k_cache[:b, :start + t], self.v_cache[:b, :start + t]
        rep = self.a.heads // self.a.kv_heads
        k, v = k.repeat_interleave(rep, dim=2), v.repeat_interleave(rep, dim=2)  #! k.repeat_interleave(rep, dim=2), => k,
        q, k, v = q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)
        scores = q @ k.transpose(2, 3) / self.a.head_dim ** 0.5  #! k.transpose(2, 3) => k.transpose(1, 2)
        if mask is not None:
            scores = scores + mask
        out = scores.softmax(-1) @ v
        return self.wo(out.transpose(1, 2).reshape(b, t, -1))  #! out.transpose(1, 2).reshape(b, t, -1) => out.reshape(b, -1, t)


class FeedForward(nn.Module):
    def __init__(self, a: Args):
        super().__init__()
        hidden = int(2 * a.hidden_mult * a.dim / 3)
        hidden = a.multiple_of * ((hidden + a.multiple_of - 1) // a.multiple_of)
        self.w1, self.w3 = nn.Linear(a.dim, hidden, bias=False), nn.Linear(a.dim, hidden, bias=False)
        self.w2 = nn.Linear(hidden, a.dim, bias=False)  #! nn.Linear(hidden, a.dim, bias=False) => nn.Linear(a.hidden_mult * a.dim, a.dim, bias=False)

    def forward(self, x):
        return self.w2(F.silu(self.w1(x)) * self.w3(x))


class Block(nn.Module):
    def __init__(self, a):
        super().__init__()
        self.attn, self.ff, self.n1, self.n2 = Attention(a), FeedForward(a), RMSNorm(a.dim), RMSNorm(a.dim)

    def forward(self, x, start, freqs, mask, use_cache):
        x = x + self.attn(self.n1(x), start, freqs, mask, use_cache)
        return x + self.ff(self.n2(x))


class GPT(nn.Module):
    def __init__(self, a: Args):
        super().__init__()
        self.a = a
        self.tok = nn.Embedding(a.vocab, a.dim)
        self.blocks = nn.ModuleList(Block(a) for _ in range(a.layers))
        self.norm, self.head = RMSNorm(a.dim), nn.Linear(a.dim, a.vocab, bias=False)
        self.tok.weight = self.head.weight
        self.register_buffer("freqs", rope_table(a.head_dim, 2 * a.max_len), persistent=False)

    def forward(self, ids, start=0, targets=None, use_cache=False) -> Tuple[torch.Tensor, Optional[torch.Tensor]]:
        b, t = ids.shape  #! b, t = ids.shape => b, t, _ = ids.shape
        h, freqs = self.tok(ids), self.freqs[start:start + t]
        mask = None
        if t > 1:
            mask = torch.full((t, t), float("-inf")).triu(1)
            mask = torch.hstack([torch.zeros(t, start), mask])
        for block in self.blocks:
            if self.training:
                h = checkpoint(block, h, start, freqs, mask, use_cache, use_reentrant=False)
            else:
                h = block(h, start, freqs, mask, use_cache)
        logits = self.head(self.norm(h))
        loss = None if targets is None else F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1), ignore_index=-1)  #! targets.view(-1) => targets
        return logits, loss

    @torch.inference_mode()
    def generate(self, prompt, new, top_p=0.9):
        ids, prev = prompt, 0
        for cur in range(prompt.size(1), prompt.size(1) + new):
            logits, _ = self(ids[:, prev:cur], prev, use_cache=True)
            probs, order = logits[:, -1].softmax(-1).sort(descending=True)
            probs = probs.masked_fill(probs.cumsum(-1) - probs > top_p, 0.0)
            nxt = order.gather(1, torch.multinomial(probs, 1))
            ids = torch.cat([ids, nxt], dim=1)  #! nxt], dim=1 => nxt.squeeze(1)], dim=1
            prev = cur
        return ids


model = GPT(Args())
for name, p in model.named_parameters():
    p.requires_grad_("lora" in name)
opt = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], 1e-3)
data = torch.randint(0, 97, (400,))
for _ in range(2):
    ix = torch.randint(len(data) - 16, (4,))
    x, y = torch.stack([data[i:i + 16] for i in ix]), torch.stack([data[i + 1:i + 17] for i in ix])
    with torch.autocast("cpu", enabled=False):
        logits, loss = model(x, targets=y)
    loss.backward()
    opt.step()
    opt.zero_grad(set_to_none=True)
reveal_type(x)
reveal_type(logits)
model.eval()
out = model.generate(torch.randint(0, 97, (2, 5)), 6)
reveal_type(out)
reveal_type(model.blocks[0].attn.k_cache)
reveal_type(model.blocks[0].ff.w1.weight)

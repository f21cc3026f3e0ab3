"""A language model with experts, wrapped by DataParallel and torch.compile; gradient accumulation under autocast; checkpoints by key."""
import contextlib
import io
import math
import os
from dataclasses import asdict, dataclass

import numpy as np
import torch
from einops import einsum, rearrange, reduce, repeat
from torch import nn
from torch.nn import functional as F


@dataclass
class GPTConfig:
    block_size: int = 32
    vocab_size: int = 65
    n_layer: int = 2
    n_head: int = 4
    n_embd: int = 64
    experts: int = 4
    top_k: int = 2
    bias: bool = False


class Experts(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        d, hidden = cfg.n_embd, 4 * cfg.n_embd
        self.w1 = nn.Parameter(torch.randn(cfg.experts, d, hidden) / math.sqrt(d))  #! cfg.experts, d, hidden => cfg.experts, hidden, d
        self.w2 = nn.Parameter(torch.randn(cfg.experts, hidden, d) / math.sqrt(hidden))
        self.gate = nn.Linear(d, cfg.experts, bias=False)
        self.k = cfg.top_k

    def forward(self, x):
        flat = rearrange(x, "b t d -> (b t) d")
        weights, chosen = self.gate(flat).softmax(-1).topk(self.k)
        weights = weights / weights.sum(-1, keepdim=True)  #! keepdim=True => keepdim=False
        out = torch.zeros_like(flat)
        for e in range(self.w1.shape[0]):
            row, slot = torch.where(chosen == e)
            if row.numel() == 0:
                continue
            h = F.gelu(flat[row] @ self.w1[e]) @ self.w2[e]
            out.index_add_(0, row, h * weights[row, slot, None])  #! weights[row, slot, None] => weights[row, slot]
        load = reduce(F.one_hot(chosen, self.w1.shape[0]).float(), "n k e -> e", "mean")
        return rearrange(out, "(b t) d -> b t d", b=x.shape[0]), load


class CausalSelfAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        assert cfg.n_embd % cfg.n_head == 0
        self.c_attn = nn.Linear(cfg.n_embd, 3 * cfg.n_embd, bias=cfg.bias)  #! 3 * cfg.n_embd => 2 * cfg.n_embd
        self.c_proj = nn.Linear(cfg.n_embd, cfg.n_embd, bias=cfg.bias)
        self.n_head = cfg.n_head

    def forward(self, x):
        q, k, v = rearrange(self.c_attn(x), "b t (three h d) -> three b h t d", three=3, h=self.n_head)
        y = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        return self.c_proj(rearrange(y, "b h t d -> b t (h d)"))  #! "b h t d -> b t (h d)" => "b h t d -> b t h d"


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.ln_1, self.ln_2 = nn.LayerNorm(cfg.n_embd, bias=cfg.bias), nn.LayerNorm(cfg.n_embd, bias=cfg.bias)
        self.attn, self.moe = CausalSelfAttention(cfg), Experts(cfg)

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        y, load = self.moe(self.ln_2(x))
        return x + y, load


class GPT(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.transformer = nn.ModuleDict(dict(
            wte=nn.Embedding(cfg.vocab_size, cfg.n_embd),
            wpe=nn.Embedding(cfg.block_size, cfg.n_embd),  #! cfg.block_size, cfg.n_embd => cfg.block_size, cfg.block_size
            h=nn.ModuleList([Block(cfg) for _ in range(cfg.n_layer)]),
            ln_f=nn.LayerNorm(cfg.n_embd, bias=cfg.bias),
        ))
        self.lm_head = nn.Linear(cfg.n_embd, cfg.vocab_size, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        for name, p in self.named_parameters():
            if name.endswith("c_proj.weight"):
                nn.init.normal_(p, std=0.02 / math.sqrt(2 * cfg.n_layer))

    def forward(self, idx, targets=None):
        b, t = idx.size()
        assert t <= self.cfg.block_size
        x = self.transformer.wte(idx) + self.transformer.wpe(torch.arange(t, device=idx.device))
        loads = []
        for block in self.transformer.h:
            x, load = block(x)
            loads.append(load)
        x = self.transformer.ln_f(x)
        if targets is None:
            return self.lm_head(x[:, [-1], :]), None  #! x[:, [-1], :] => x[:, :, [-1]]
        logits = self.lm_head(x)
        loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))  #! targets.view(-1) => targets
        balance = sum((l * l).sum() for l in loads) * self.cfg.experts
        return logits, loss + 0.01 * balance

    @torch.no_grad()
    def generate(self, idx, n, top_k=5):
        for _ in range(n):
            logits, _ = self(idx[:, -self.cfg.block_size:])
            logits = logits[:, -1, :]
            v, _ = logits.topk(min(top_k, logits.size(-1)))
            logits[logits < v[:, [-1]]] = -float("inf")  #! v[:, [-1]] => v[:, -1]
            idx = torch.cat((idx, torch.multinomial(logits.softmax(-1), 1)), dim=1)  #! dim=1 => dim=0
        return idx


def get_batch(data, block, batch):
    ix = torch.randint(len(data) - block, (batch,))
    x = torch.stack([torch.from_numpy(data[i:i + block].astype(np.int64)) for i in ix])
    y = torch.stack([torch.from_numpy(data[i + 1:i + 1 + block].astype(np.int64)) for i in ix])  #! i + 1 + block => i + block
    return x, y


def main():
    cfg = GPTConfig()
    data = np.random.randint(0, cfg.vocab_size, 2000).astype(np.uint16)
    use_ddp = int(os.environ.get("RANK", -1)) != -1
    model = GPT(cfg)
    model = torch.compile(model, backend="eager") if os.environ.get("COMPILE") else model
    wrapped = nn.DataParallel(model) if not use_ddp else model
    opt = torch.optim.AdamW(wrapped.parameters(), lr=1e-3, betas=(0.9, 0.95))
    ctx = torch.autocast("cpu", dtype=torch.bfloat16) if os.environ.get("AMP") else contextlib.nullcontext()
    for it in range(2):
        for micro in range(2):
            x, y = get_batch(data, cfg.block_size, 3)
            with ctx:
                logits, loss = wrapped(x, y)
                loss = loss / 2
            loss.backward()
        nn.utils.clip_grad_norm_(wrapped.parameters(), 1.0)
        opt.step()
        opt.zero_grad(set_to_none=True)
    reveal_type(logits)
    file = io.BytesIO()
    torch.save({"model": model.state_dict(), "args": asdict(cfg)}, file)
    file.seek(0)
    checkpoint = torch.load(file)
    again = GPT(GPTConfig(**checkpoint["args"]))
    again.load_state_dict({k.removeprefix("_orig_mod."): v for k, v in checkpoint["model"].items()})
    out = again.generate(torch.zeros(1, 1, dtype=torch.long), 5)
    reveal_type(out)
    emb = again.transformer.wte.weight
    scores = einsum(emb, emb, "v d, w d -> v w")
    reveal_type(scores)
    prefix = repeat(emb[:3], "n d -> b n d", b=4)
    reveal_type(again.lm_head(prefix))
    print((scores @ prefix).shape if scores.shape[0] == 3 else scores.mean())


if __name__ == "__main__":
    main()

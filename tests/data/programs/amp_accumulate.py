"""A training loop with gradient accumulation, mixed precision, checkpointing, DDP-like wrapping and resume."""
import os
import sys
import tempfile
from contextlib import nullcontext
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, IterableDataset


@dataclass(frozen=True)
class TrainConfig:
    vocab: int = 64
    block_size: int = 32
    n_embd: int = 48
    n_head: int = 4
    n_layer: int = 3
    batch_size: int = 8
    grad_accum: int = 2
    steps: int = 4
    dtype: str = "bfloat16"


class Stream(IterableDataset):
    def __init__(self, cfg: TrainConfig):
        self.cfg = cfg

    def __iter__(self):
        g = torch.Generator().manual_seed(0)
        for _ in range(self.cfg.batch_size * 40):
            chunk = torch.randint(0, self.cfg.vocab, (self.cfg.block_size + 1,), generator=g)  #! self.cfg.block_size + 1, => self.cfg.block_size + 2,
            yield chunk[:-1], chunk[1:]  #! chunk[1:] => chunk[2:]


class CausalSelfAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        assert cfg.n_embd % cfg.n_head == 0
        self.c_attn = nn.Linear(cfg.n_embd, 3 * cfg.n_embd)  #! 3 * cfg.n_embd => 2 * cfg.n_embd
        self.c_proj = nn.Linear(cfg.n_embd, cfg.n_embd)
        self.n_head = cfg.n_head
        self.register_buffer("bias", torch.tril(torch.ones(cfg.block_size, cfg.block_size)).view(1, 1, cfg.block_size, cfg.block_size))

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(C, dim=2)
        k = k.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        q = q.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)  #! .transpose(1, 2) => .transpose(2, 3)
        v = v.view(B, T, self.n_head, C // self.n_head).transpose(1, 2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / k.size(-1) ** 0.5)  #! k.transpose(-2, -1) => k
        att = att.masked_fill(self.bias[:, :, :T, :T] == 0, float("-inf"))
        att = F.softmax(att, dim=-1)
        y = att @ v
        y = y.transpose(1, 2).contiguous().view(B, T, C)  #! .contiguous().view => .view
        return self.c_proj(y)


class Block(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.ln_1 = nn.LayerNorm(cfg.n_embd)
        self.attn = CausalSelfAttention(cfg)
        self.ln_2 = nn.LayerNorm(cfg.n_embd)
        self.mlp = nn.ModuleDict(dict(
            c_fc=nn.Linear(cfg.n_embd, 4 * cfg.n_embd),
            c_proj=nn.Linear(4 * cfg.n_embd, cfg.n_embd),  #! 4 * cfg.n_embd, cfg.n_embd => cfg.n_embd, 4 * cfg.n_embd
            act=nn.GELU(approximate="tanh"),
        ))
        m = self.mlp
        self.mlpf = lambda x: m.c_proj(m.act(m.c_fc(x)))

    def forward(self, x):
        x = x + self.attn(self.ln_1(x))
        return x + self.mlpf(self.ln_2(x))


class GPT(nn.Module):
    def __init__(self, cfg, use_checkpoint=True):
        super().__init__()
        self.cfg = cfg
        self.use_checkpoint = use_checkpoint
        self.transformer = nn.ModuleDict(dict(
            wte=nn.Embedding(cfg.vocab, cfg.n_embd),
            wpe=nn.Embedding(cfg.block_size, cfg.n_embd),  #! cfg.block_size, cfg.n_embd => cfg.n_embd, cfg.block_size
            h=nn.ModuleList([Block(cfg) for _ in range(cfg.n_layer)]),
            ln_f=nn.LayerNorm(cfg.n_embd),
        ))
        self.lm_head = nn.Linear(cfg.n_embd, cfg.vocab, bias=False)
        self.transformer.wte.weight = self.lm_head.weight
        self.apply(self._init_weights)

    def _init_weights(self, module):
        if isinstance(module, nn.Linear):
            torch.nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if module.bias is not None:
                torch.nn.init.zeros_(module.bias)

    def forward(self, idx, targets=None):
        b, t = idx.size()
        assert t <= self.cfg.block_size, "the sequence is too long"
        pos = torch.arange(0, t, dtype=torch.long).unsqueeze(0)
        x = self.transformer.wte(idx) + self.transformer.wpe(pos)
        for block in self.transformer.h:
            if self.use_checkpoint and self.training:
                x = checkpoint(block, x, use_reentrant=False)
            else:
                x = block(x)
        logits = self.lm_head(self.transformer.ln_f(x))
        loss = None
        if targets is not None:
            loss = F.cross_entropy(logits.view(-1, logits.size(-1)), targets.view(-1))  #! targets.view(-1) => targets
        return logits, loss

    def configure_optimizers(self, weight_decay, lr):
        params = {n: p for n, p in self.named_parameters() if p.requires_grad}
        groups = [
            {"params": [p for p in params.values() if p.dim() >= 2], "weight_decay": weight_decay},
            {"params": [p for p in params.values() if p.dim() < 2], "weight_decay": 0.0},
        ]
        return torch.optim.AdamW(groups, lr=lr)

    @torch.no_grad()
    def generate(self, idx, max_new_tokens, top_k=None):
        for _ in range(max_new_tokens):
            idx_cond = idx if idx.size(1) <= self.cfg.block_size else idx[:, -self.cfg.block_size:]
            logits, _ = self(idx_cond)
            logits = logits[:, -1, :]  #! logits[:, -1, :] => logits
            if top_k is not None:
                v, _ = torch.topk(logits, min(top_k, logits.size(-1)))
                logits[logits < v[:, [-1]]] = -float("Inf")
            probs = F.softmax(logits, dim=-1)
            idx_next = torch.multinomial(probs, num_samples=1)
            idx = torch.cat((idx, idx_next), dim=1)
        return idx


def main():
    cfg = TrainConfig()
    cfg = replace(cfg, block_size=16)
    model = GPT(cfg)
    ddp = int(os.environ.get("RANK", -1)) != -1
    if ddp:
        model = nn.parallel.DistributedDataParallel(model)
    raw_model = model.module if ddp else model
    optimizer = raw_model.configure_optimizers(0.1, 3e-4)
    ema = AveragedModel(raw_model, multi_avg_fn=get_ema_multi_avg_fn(0.99))
    ctx = torch.amp.autocast("cpu", dtype=getattr(torch, cfg.dtype)) if cfg.dtype != "float32" else nullcontext()
    scaler = torch.amp.GradScaler("cpu", enabled=cfg.dtype == "float16")
    loader = iter(DataLoader(Stream(cfg), batch_size=cfg.batch_size))
    for step in range(cfg.steps):
        for micro in range(cfg.grad_accum):
            X, Y = next(loader)
            with ctx:
                logits, loss = model(X, Y)
                loss = loss / cfg.grad_accum
            scaler.scale(loss).backward()
        scaler.unscale_(optimizer)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(optimizer)
        scaler.update()
        optimizer.zero_grad(set_to_none=True)
        ema.update_parameters(raw_model)
    reveal_type(logits)
    path = Path(tempfile.gettempdir()) / "harp_ckpt.pt"
    torch.save({"model": raw_model.state_dict(), "config": asdict(cfg)}, path)
    saved = torch.load(path)
    again = GPT(TrainConfig(**saved["config"]))
    again.load_state_dict(saved["model"])
    again.eval()
    out = again.generate(torch.zeros(2, 1, dtype=torch.long), max_new_tokens=20, top_k=5)
    reveal_type(out[:, :3])
    path.unlink()


if __name__ == "__main__":
    sys.exit(main())

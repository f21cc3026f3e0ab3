"""Low-rank adapters put into a pretrained encoder, and distillation from a larger teacher, with prompt tokens."""
import math
from dataclasses import dataclass
from typing import Iterable, Optional

import torch
from torch import nn, Tensor
import torch.nn.functional as F


@dataclass
class LoraConfig:
    r: int = 4
    alpha: int = 8
    dropout: float = 0.05
    targets: tuple = ("q_proj", "v_proj")


class LoraLinear(nn.Module):
    def __init__(self, base: nn.Linear, cfg: LoraConfig):
        super().__init__()
        self.base = base
        for p in self.base.parameters():
            p.requires_grad_(False)
        self.A = nn.Parameter(torch.empty(cfg.r, base.in_features))  #! cfg.r, base.in_features => base.in_features, cfg.r
        self.B = nn.Parameter(torch.zeros(base.out_features, cfg.r))
        nn.init.kaiming_uniform_(self.A, a=math.sqrt(5))
        self.scaling = cfg.alpha / cfg.r
        self.drop = nn.Dropout(cfg.dropout)

    def forward(self, x):
        return self.base(x) + (self.drop(x) @ self.A.T @ self.B.T) * self.scaling  #! self.B.T => self.B

    @torch.no_grad()
    def merge(self) -> nn.Linear:
        self.base.weight += (self.B @ self.A) * self.scaling  #! (self.B @ self.A) => (self.A.T @ self.B.T)
        return self.base


def inject(model: nn.Module, cfg: LoraConfig) -> int:
    count = 0
    for name, module in list(model.named_modules()):
        for child_name, child in list(module.named_children()):
            if isinstance(child, nn.Linear) and child_name in cfg.targets:
                setattr(module, child_name, LoraLinear(child, cfg))
                count += 1
    return count


class SelfAttention(nn.Module):
    def __init__(self, dim, heads, kv_dim: Optional[int] = None):
        super().__init__()
        self.heads = heads
        self.q_proj = nn.Linear(dim, dim)
        self.k_proj = nn.Linear(kv_dim or dim, dim)
        self.v_proj = nn.Linear(kv_dim or dim, dim // 2)  #! dim // 2 => dim // 3
        self.o_proj = nn.Linear(dim // 2, dim)

    def split(self, x: Tensor) -> Tensor:
        return x.unflatten(-1, (self.heads, -1)).transpose(1, 2)

    def forward(self, x, key_padding_mask=None):
        q, k, v = map(self.split, (self.q_proj(x), self.k_proj(x), self.v_proj(x)))
        mask = None
        if key_padding_mask is not None:
            mask = key_padding_mask[:, None, None, :].expand(-1, self.heads, q.size(2), -1)  #! [:, None, None, :] => [:, None, :]
        y = F.scaled_dot_product_attention(q, k, v, attn_mask=mask)
        return self.o_proj(y.transpose(1, 2).flatten(2))  #! .flatten(2) => .flatten(1)


class Encoder(nn.Module):
    def __init__(self, vocab=100, dim=32, heads=4, depth=2, max_len=64, classes=3):
        super().__init__()
        self.dim = dim
        self.tok = nn.Embedding(vocab, dim, padding_idx=0)
        self.pos = nn.Embedding(max_len, dim)
        self.blocks = nn.ModuleList()
        for _ in range(depth):
            self.blocks.append(nn.ModuleDict({
                "attn": SelfAttention(dim, heads),
                "ln1": nn.LayerNorm(dim),
                "ff": nn.Sequential(nn.Linear(dim, 2 * dim), nn.GELU(), nn.Linear(2 * dim, dim)),
                "ln2": nn.LayerNorm(dim),
            }))
        self.cls = nn.Linear(dim, classes)
        self.prompt: Optional[nn.Parameter] = None

    def add_prompt(self, n):
        self.prompt = nn.Parameter(torch.randn(n, self.dim) * 0.02)  #! n, self.dim => self.dim, n

    def forward(self, ids):
        keep = ids != 0
        x = self.tok(ids) + self.pos(torch.arange(ids.shape[1]))  #! torch.arange(ids.shape[1]) => torch.arange(ids.shape[0])
        if self.prompt is not None:
            b, n = x.size(0), self.prompt.size(0)
            x = torch.cat([self.prompt.unsqueeze(0).expand(b, -1, -1), x], dim=1)
            keep = torch.cat([keep.new_ones(b, n), keep], dim=1)  #! keep = torch.cat => _ = torch.cat
        hidden = []
        for blk in self.blocks:
            x = x + blk["attn"](blk["ln1"](x), keep)
            x = x + blk["ff"](blk["ln2"](x))
            hidden.append(x)
        weights = keep.unsqueeze(-1).float()
        pooled = (x * weights).sum(1) / weights.sum(1).clamp(min=1.0)
        return self.cls(pooled), hidden


def distill_loss(student, teacher, labels, T=2.0, alpha=0.5):
    soft = F.kl_div(F.log_softmax(student / T, -1), F.softmax(teacher / T, -1), reduction="batchmean") * T * T
    return alpha * soft + (1 - alpha) * F.cross_entropy(student, labels)


def trainable(params: Iterable[nn.Parameter]):
    yield from (p for p in params if p.requires_grad)


teacher = Encoder(dim=64, depth=3).eval()  #! dim=64, depth=3 => dim=64, depth=3, classes=5
student = Encoder()
student.add_prompt(5)
n = inject(student, LoraConfig())
reveal_type(n)
bridge = nn.Linear(32, 64)  #! 32, 64 => 64, 32
opt = torch.optim.AdamW([*trainable(student.parameters()), *bridge.parameters()], lr=1e-3)
for step in range(2):
    ids = torch.randint(1, 100, (6, 20))
    ids[:, 15:] = 0
    labels = torch.randint(0, 3, (6,))
    with torch.no_grad():
        t_logits, t_hidden = teacher(ids)
    s_logits, s_hidden = student(ids)
    loss = distill_loss(s_logits, t_logits, labels)
    loss = loss + F.mse_loss(bridge(s_hidden[-1][:, 5:]), t_hidden[-1])  #! s_hidden[-1][:, 5:] => s_hidden[-1]
    opt.zero_grad()
    loss.backward()
    opt.step()
reveal_type(s_logits)
reveal_type(s_hidden[0])
for block in student.blocks:
    block["attn"].q_proj = block["attn"].q_proj.merge()
out, _ = student(ids[:2])
reveal_type(out)

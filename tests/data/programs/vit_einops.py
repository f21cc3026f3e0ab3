"""A vision transformer with einops, distillation token, stochastic depth, and interpolated position embeddings."""
import math
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F
from einops import rearrange, reduce, repeat
from einops.layers.torch import Rearrange
from torch import einsum, nn


@dataclass
class ViTConfig:
    image: int = 32
    patch: int = 8
    dim: int = 40
    depth: int = 3
    heads: int = 5
    mlp_ratio: float = 2.0
    classes: int = 11
    channels: int = 3
    drop_path: float = 0.1

    @property
    def grid(self):
        return self.image // self.patch


def pair(t):
    return t if isinstance(t, tuple) else (t, t)


class DropPath(nn.Module):
    def __init__(self, p=0.0):
        super().__init__()
        self.p = p

    def forward(self, x):
        if self.p == 0.0 or not self.training:
            return x
        keep = 1 - self.p
        shape = (x.shape[0],) + (1,) * (x.ndim - 1)
        return x * x.new_empty(shape).bernoulli_(keep) / keep


class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)  #! dim * 3 => dim * 4
        self.to_out = nn.Linear(dim, dim)
        self.maps = None

    def forward(self, x):
        q, k, v = (rearrange(t, "b n (h d) -> b h n d", h=self.heads) for t in self.to_qkv(x).chunk(3, dim=-1))
        dots = einsum("b h i d, b h j d -> b h i j", q, k) * self.scale  #! b h j d -> => b h d j ->
        attn = dots.softmax(dim=-1)
        self.maps = attn.detach()
        out = einsum("b h i j, b h j d -> b h i d", attn, v)
        return self.to_out(rearrange(out, "b h n d -> b n (h d)"))


class Block(nn.Module):
    def __init__(self, cfg, rate):
        super().__init__()
        hidden = int(cfg.dim * cfg.mlp_ratio)
        norm = partial(nn.LayerNorm, cfg.dim, eps=1e-6)
        self.norm1, self.norm2 = norm(), norm()
        self.attn = Attention(cfg.dim, cfg.heads)
        self.mlp = nn.Sequential(nn.Linear(cfg.dim, hidden), nn.GELU(), nn.Linear(hidden, cfg.dim))
        self.drop = DropPath(rate)

    def forward(self, x):
        x = x + self.drop(self.attn(self.norm1(x)))
        return x + self.drop(self.mlp(self.norm2(x)))


class DistilledViT(nn.Module):
    def __init__(self, cfg: ViTConfig):
        super().__init__()
        self.cfg = cfg
        ph, pw = pair(cfg.patch)
        self.embed = nn.Sequential(Rearrange("b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=ph, p2=pw), nn.Linear(ph * pw * cfg.channels, cfg.dim))  #! ph * pw * cfg.channels => ph * pw
        self.cls, self.dist = (nn.Parameter(torch.randn(1, 1, cfg.dim)) for _ in range(2))
        self.pos = nn.Parameter(torch.randn(1, cfg.grid ** 2 + 2, cfg.dim) * 0.02)
        rates = [r.item() for r in torch.linspace(0, cfg.drop_path, cfg.depth)]
        self.blocks = nn.Sequential(*(Block(cfg, r) for r in rates))
        self.norm = nn.LayerNorm(cfg.dim)
        self.head, self.head_dist = nn.Linear(cfg.dim, cfg.classes), nn.Linear(cfg.dim, cfg.classes)

    def positions(self, h, w):
        g = self.cfg.grid
        if (h, w) == (g, g):
            return self.pos
        tokens, grid = self.pos[:, :2], self.pos[:, 2:]
        grid = rearrange(grid, "1 (h w) d -> 1 d h w", h=g)
        grid = F.interpolate(grid, size=(h, w), mode="bicubic", align_corners=False)
        return torch.cat([tokens, rearrange(grid, "1 d h w -> 1 (h w) d")], dim=1)

    def forward(self, img):
        b, _, hh, ww = img.shape
        x = self.embed(img)
        cls = repeat(self.cls, "1 1 d -> b 1 d", b=b)
        dist = repeat(self.dist, "1 1 d -> b 1 d", b=b)
        x = torch.cat((cls, dist, x), dim=1)
        x = x + self.positions(hh // self.cfg.patch, ww // self.cfg.patch)
        x = self.norm(self.blocks(x))
        out, d = self.head(x[:, 0]), self.head_dist(x[:, 1])
        return (out, d) if self.training else (out + d) / 2


def hard_distillation(outputs, labels, teacher_logits, alpha=0.5):
    out, d = outputs
    return (1 - alpha) * F.cross_entropy(out, labels) + alpha * F.cross_entropy(d, teacher_logits.argmax(dim=1))


model = DistilledViT(ViTConfig())
reveal_type(model.pos)
teacher = nn.Sequential(nn.Conv2d(3, 16, 3, 2), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 11))
opt = torch.optim.AdamW([{"params": model.blocks.parameters(), "lr": 1e-4}, {"params": model.head.parameters()}], lr=1e-3)
for step in range(2):
    images, labels = torch.rand(6, 3, 32, 32), torch.randint(0, 11, (6,))
    with torch.no_grad():
        t = teacher(images)
    loss = hard_distillation(model(images), labels, t)
    opt.zero_grad()
    loss.backward()
    opt.step()
reveal_type(loss)
model.eval()
y = model(torch.rand(2, 3, 48, 64))  #! 48, 64 => 48, 60
reveal_type(y)
maps = model.blocks[-1].attn.maps
reveal_type(maps)
rollout = torch.eye(maps.shape[-1]).expand(2, -1, -1)
for block in model.blocks:
    a = reduce(block.attn.maps, "b h i j -> b i j", "mean") + torch.eye(maps.shape[-1])
    rollout = (a / a.sum(-1, keepdim=True)) @ rollout
reveal_type(rollout)
heat = rearrange(rollout[:, 0, 2:], "b (h w) -> b 1 h w", h=6)  #! h=6 => h=7
reveal_type(heat)
big = F.interpolate(heat, scale_factor=8)
reveal_type(big)

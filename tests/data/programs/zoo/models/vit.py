"""A vision transformer."""
import torch
from torch import nn
from .registry import register


def pair(t):
    return t if isinstance(t, tuple) else (t, t)


class Block(nn.Module):
    def __init__(self, dim, heads, mlp_ratio=4.0):
        super().__init__()
        self.norm1 = nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.norm2 = nn.LayerNorm(dim)
        hidden = int(dim * mlp_ratio)
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))

    def forward(self, x):
        y = self.norm1(x)
        x = x + self.attn(y, y, y, need_weights=False)[0]  #! need_weights=False)[0] => need_weights=False)[0][0]
        return x + self.mlp(self.norm2(x))


@register()
class ViT(nn.Module):
    def __init__(self, *, image_size, patch, dim, depth, heads, num_classes=10, channels=3):
        super().__init__()
        ih, iw = pair(image_size)
        ph, pw = pair(patch)
        assert ih % ph == 0 and iw % pw == 0, "image dimensions must be divisible by the patch size"
        self.proj = nn.Conv2d(channels, dim, kernel_size=(ph, pw), stride=(ph, pw))
        n = (ih // ph) * (iw // pw)
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos = nn.Parameter(torch.randn(1, n + 1, dim) * 0.02)  #! n + 1, dim => n, dim
        self.blocks = nn.ModuleList([Block(dim, heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, num_classes)

    def forward(self, x):
        x = self.proj(x).flatten(2).transpose(1, 2)  #! .transpose(1, 2) =>
        cls = self.cls.expand(x.shape[0], -1, -1)  #! x.shape[0], -1, -1 => -1, x.shape[0], -1
        x = torch.cat((cls, x), dim=1)
        x = x + self.pos
        for blk in self.blocks:
            x = blk(x)
        return self.head(self.norm(x)[:, 0])

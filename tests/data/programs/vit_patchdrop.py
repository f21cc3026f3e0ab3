"""ViT with patch dropout, register tokens, interpolated position embeddings and layer scale."""
import math
from functools import partial
import torch
from torch import nn
import torch.nn.functional as F


def pair(t):
    return t if isinstance(t, tuple) else (t, t)


class PatchDropout(nn.Module):
    def __init__(self, prob=0.5, keep_first=1):
        super().__init__()
        assert 0 <= prob < 1.
        self.prob, self.keep_first = prob, keep_first

    def forward(self, x):
        if not self.training or self.prob == 0.:
            return x
        cls, x = x[:, :self.keep_first], x[:, self.keep_first:]
        B, L, D = x.shape
        num_keep = max(1, int(L * (1. - self.prob)))
        keep = torch.argsort(torch.randn(B, L), dim=-1)[:, :num_keep]
        x = x.gather(1, keep.unsqueeze(-1).expand(-1, -1, D))  #! keep.unsqueeze(-1).expand(-1, -1, D) => keep.expand(-1, -1, D)
        return torch.cat((cls, x), dim=1)


class LayerScale(nn.Module):
    def __init__(self, dim, init=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(init * torch.ones(dim))

    def forward(self, x):
        return x * self.gamma


class Attention(nn.Module):
    def __init__(self, dim, num_heads=8, qkv_bias=False, qk_norm=True, norm_layer=nn.LayerNorm):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = dim // num_heads
        self.scale = self.head_dim ** -0.5
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)
        self.q_norm = norm_layer(self.head_dim) if qk_norm else nn.Identity()  #! self.head_dim) if => dim) if
        self.k_norm = norm_layer(self.head_dim) if qk_norm else nn.Identity()
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)  #! .permute(2, 0, 3, 1, 4) => .permute(0, 2, 3, 1, 4)
        q, k, v = qkv.unbind(0)
        q, k = self.q_norm(q), self.k_norm(k)
        attn = (q * self.scale) @ k.transpose(-2, -1)
        x = attn.softmax(dim=-1) @ v
        return self.proj(x.transpose(1, 2).reshape(B, N, C))  #! .reshape(B, N, C) => .reshape(B, N, C // 2)


class Block(nn.Module):
    def __init__(self, dim, heads, mlp_ratio=4., act=nn.GELU, norm_layer=nn.LayerNorm):
        super().__init__()
        self.norm1 = norm_layer(dim)
        self.attn = Attention(dim, heads, norm_layer=norm_layer)
        self.ls1 = LayerScale(dim)
        self.norm2 = norm_layer(dim)
        hidden = int(dim * mlp_ratio)
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), act(), nn.Dropout(0.1), nn.Linear(hidden, dim))  #! nn.Linear(hidden, dim) => nn.Linear(dim, dim)
        self.ls2 = LayerScale(dim)

    def forward(self, x):
        x = x + self.ls1(self.attn(self.norm1(x)))
        return x + self.ls2(self.mlp(self.norm2(x)))


class ViT(nn.Module):
    def __init__(self, img_size=64, patch_size=8, in_chans=3, num_classes=10, embed_dim=48, depth=3, num_heads=6, reg_tokens=2, drop=0.25, global_pool="token"):
        super().__init__()
        norm_layer = partial(nn.LayerNorm, eps=1e-6)
        self.img_size, self.patch_size = pair(img_size), pair(patch_size)
        self.grid = tuple(s // p for s, p in zip(self.img_size, self.patch_size))
        self.patch_embed = nn.Conv2d(in_chans, embed_dim, self.patch_size, stride=self.patch_size)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, embed_dim))
        self.reg_token = nn.Parameter(torch.zeros(1, reg_tokens, embed_dim)) if reg_tokens else None
        self.num_prefix = 1 + reg_tokens
        self.pos_embed = nn.Parameter(torch.randn(1, self.grid[0] * self.grid[1] + 1, embed_dim) * .02)  #! self.grid[1] + 1 => self.grid[1]
        self.patch_drop = PatchDropout(drop, self.num_prefix)
        self.blocks = nn.Sequential(*[Block(embed_dim, num_heads, norm_layer=norm_layer) for _ in range(depth)])
        self.norm = norm_layer(embed_dim)
        self.global_pool = global_pool
        self.head = nn.Linear(embed_dim, num_classes)

    def _pos_embed(self, x):
        B, H, W, C = x.shape
        cls_pos, patch_pos = self.pos_embed[:, :1], self.pos_embed[:, 1:]
        if (H, W) != self.grid:
            patch_pos = patch_pos.reshape(1, *self.grid, -1).permute(0, 3, 1, 2)
            patch_pos = F.interpolate(patch_pos, size=(H, W), mode="bicubic", antialias=True)  #! size=(H, W) => size=(H, H)
            patch_pos = patch_pos.permute(0, 2, 3, 1).flatten(1, 2)
        x = x.flatten(1, 2) + patch_pos
        prefix = [(self.cls_token + cls_pos).expand(B, -1, -1)]
        if self.reg_token is not None:
            prefix.append(self.reg_token.expand(B, -1, -1))
        return torch.cat(prefix + [x], dim=1)

    def forward_features(self, x):
        x = self.patch_embed(x).permute(0, 2, 3, 1)  #! .permute(0, 2, 3, 1) => .permute(0, 2, 3, 1)[..., 0]
        x = self._pos_embed(x)
        x = self.patch_drop(x)
        return self.norm(self.blocks(x))

    def forward(self, x):
        x = self.forward_features(x)
        if self.global_pool == "token":
            x = x[:, 0]
        elif self.global_pool == "avg":
            x = x[:, self.num_prefix:].mean(dim=1)
        return self.head(x)


torch.manual_seed(1)
model = ViT()
tokens = model.forward_features(torch.randn(2, 3, 64, 64))
reveal_type(tokens)
model.eval()
wide = model.forward_features(torch.randn(2, 3, 48, 96))
reveal_type(wide)
avg = ViT(global_pool="avg", num_classes=5, reg_tokens=0)
y = avg(torch.randn(4, 3, 64, 64))
reveal_type(y)
optimizer = torch.optim.AdamW([
    {"params": [p for n, p in avg.named_parameters() if p.ndim > 1], "weight_decay": 0.05},
    {"params": [p for n, p in avg.named_parameters() if p.ndim <= 1], "weight_decay": 0.0}], lr=1e-3)
warmup = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: min(1.0, (s + 1) / 5) * 0.5 * (1 + math.cos(math.pi * s / 10)))
for step in range(3):
    x, t = torch.randn(4, 3, 64, 64), torch.randint(0, 5, (4,))
    loss = F.cross_entropy(avg(x), t, label_smoothing=0.1)  #! avg(x), t => avg(x).mT, t
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(avg.parameters(), 1.0)
    optimizer.step()
    warmup.step()

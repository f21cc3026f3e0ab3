"""Token merging in a vision transformer that is patched from outside by changing the class of its blocks."""
import math
from typing import Callable, Tuple

import torch
from torch import nn


def do_nothing(x, mode=None):
    return x


def bipartite_soft_matching(metric: torch.Tensor, r: int, class_token: bool = False) -> Tuple[Callable, Callable]:
    protected = 1 if class_token else 0
    t = metric.shape[1]
    r = min(r, (t - protected) // 2)
    if r <= 0:
        return do_nothing, do_nothing
    with torch.no_grad():
        metric = metric / metric.norm(dim=-1, keepdim=True)
        a, b = metric[..., ::2, :], metric[..., 1::2, :]
        scores = a @ b.transpose(-1, -2)  #! b.transpose(-1, -2) => b
        if class_token:
            scores[..., 0, :] = -math.inf
        node_max, node_idx = scores.max(dim=-1)
        edge_idx = node_max.argsort(dim=-1, descending=True)[..., None]
        unm_idx = edge_idx[..., r:, :]
        src_idx = edge_idx[..., :r, :]
        dst_idx = node_idx[..., None].gather(dim=-2, index=src_idx)  #! node_idx[..., None] => node_idx
        if class_token:
            unm_idx = unm_idx.sort(dim=1)[0]

    def merge(x: torch.Tensor, mode="mean") -> torch.Tensor:
        src, dst = x[..., ::2, :], x[..., 1::2, :]
        n, t1, c = src.shape
        unm = src.gather(dim=-2, index=unm_idx.expand(n, t1 - r, c))  #! expand(n, t1 - r, c) => expand(n, t1, c)
        src = src.gather(dim=-2, index=src_idx.expand(n, r, c))
        dst = dst.scatter_reduce(-2, dst_idx.expand(n, r, c), src, reduce=mode)
        return torch.cat([unm, dst], dim=1)  #! dim=1 => dim=2

    def unmerge(x: torch.Tensor) -> torch.Tensor:
        unm_len = unm_idx.shape[1]
        unm, dst = x[..., :unm_len, :], x[..., unm_len:, :]
        n, _, c = unm.shape
        src = dst.gather(dim=-2, index=dst_idx.expand(n, r, c))
        out = torch.zeros(n, metric.shape[1], c, device=x.device, dtype=x.dtype)
        out[..., 1::2, :] = dst  #! out[..., 1::2, :] => out[..., ::2, :]
        out.scatter_(dim=-2, index=(2 * unm_idx).expand(n, unm_len, c), src=unm)
        out.scatter_(dim=-2, index=(2 * src_idx).expand(n, r, c), src=src)
        return out

    return merge, unmerge


def merge_wavg(merge: Callable, x: torch.Tensor, size: torch.Tensor = None):
    if size is None:
        size = torch.ones_like(x[..., 0, None])
    x = merge(x * size, mode="sum")
    size = merge(size, mode="sum")
    return x / size, size


class Attention(nn.Module):
    def __init__(self, dim, num_heads):
        super().__init__()
        self.num_heads, self.scale = num_heads, (dim // num_heads) ** -0.5
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, size=None):
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, C // self.num_heads).permute(2, 0, 3, 1, 4)
        q, k, v = qkv[0], qkv[1], qkv[2]
        attn = (q * self.scale) @ k.transpose(-2, -1)
        if size is not None:
            attn = attn + size.log()[:, None, None, :, 0]  #! size.log()[:, None, None, :, 0] => size.log()[:, None]
        attn = attn.softmax(dim=-1)
        x = (attn @ v).transpose(1, 2).reshape(B, N, C)
        return self.proj(x), k.mean(1)


class Block(nn.Module):
    def __init__(self, dim, num_heads, mlp_ratio=4.0):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = Attention(dim, num_heads)
        hidden = int(dim * mlp_ratio)
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))

    def forward(self, x):
        x = x + self.attn(self.norm1(x))[0]
        return x + self.mlp(self.norm2(x))


class ToMeBlock(Block):
    def forward(self, x):
        info = self._tome_info
        x_attn, metric = self.attn(self.norm1(x), info["size"] if info["prop_attn"] else None)
        x = x + x_attn
        r = info["r"].pop(0)
        if r > 0:
            merge, _ = bipartite_soft_matching(metric, r, info["class_token"])
            x, info["size"] = merge_wavg(merge, x, info["size"])
        return x + self.mlp(self.norm2(x))


class VisionTransformer(nn.Module):
    def __init__(self, img_size=32, patch_size=4, dim=48, depth=3, num_heads=4, num_classes=10):
        super().__init__()
        self.patch_embed = nn.Conv2d(3, dim, patch_size, patch_size)  #! patch_size, patch_size) => patch_size, 1)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.pos_embed = nn.Parameter(torch.zeros(1, (img_size // patch_size) ** 2 + 1, dim))  #! ** 2 + 1 => ** 2
        self.blocks = nn.Sequential(*[Block(dim, num_heads) for _ in range(depth)])
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, num_classes)

    def forward(self, x):
        x = self.patch_embed(x).flatten(2).transpose(1, 2)  #! .flatten(2).transpose(1, 2) => .flatten(2)
        x = torch.cat((self.cls_token.expand(x.shape[0], -1, -1), x), dim=1) + self.pos_embed
        x = self.norm(self.blocks(x))
        reveal_type(x)
        return self.head(x[:, 0])


def make_tome_class(cls):
    class ToMeVisionTransformer(cls):
        def forward(self, *args, **kwdargs):
            self._tome_info["r"] = [self.r] * len(self.blocks)
            self._tome_info["size"] = None
            return super().forward(*args, **kwdargs)

    return ToMeVisionTransformer


def apply_patch(model, r, prop_attn=True):
    model.__class__ = make_tome_class(model.__class__)
    model.r = r
    model._tome_info = {"r": r, "size": None, "prop_attn": prop_attn, "class_token": model.cls_token is not None}
    for module in model.modules():
        if isinstance(module, Block):
            module.__class__ = ToMeBlock
            module._tome_info = model._tome_info


if __name__ == "__main__":
    model = VisionTransformer()
    images = torch.randn(2, 3, 32, 32)
    reveal_type(model(images))
    apply_patch(model, r=8)
    logits = model(images)
    reveal_type(logits)
    reveal_type(model._tome_info["size"])
    loss = nn.functional.cross_entropy(logits, torch.randint(0, 10, (2,)))
    loss.backward()
    merge, unmerge = bipartite_soft_matching(torch.randn(2, 20, 8), 5)
    merged = merge(torch.randn(2, 20, 8))
    reveal_type(merged)
    reveal_type(unmerge(merged))

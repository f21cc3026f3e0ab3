"""A hierarchical transformer with shifted windows, relative bias tables, patch merging; factory from a dictionary of variants."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from functools import partial

VARIANTS = {
    "nano": dict(embed=24, depths=(2, 2), heads=(2, 4), window=4),
    "micro": dict(embed=32, depths=(2, 2, 2), heads=(2, 4, 8), window=4),
}


def window_partition(x, w):
    b, h, ww, c = x.shape
    x = x.view(b, h // w, w, ww // w, w, c)  #! h // w, w, ww // w, w, c => h // w, w, w, ww // w, c
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, w * w, c)


def window_reverse(windows, w, h, ww):
    b = windows.shape[0] // (h * ww // w // w)
    x = windows.reshape(b, h // w, ww // w, w, w, -1)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(b, h, ww, -1)


class WindowAttention(nn.Module):
    def __init__(self, dim, window, heads):
        super().__init__()
        self.heads, self.window = heads, window
        self.scale = (dim // heads) ** -0.5
        self.table = nn.Parameter(torch.zeros((2 * window - 1) ** 2, heads))  #! (2 * window - 1) ** 2, heads => (2 * window - 1) ** 2, dim
        coords = torch.stack(torch.meshgrid(torch.arange(window), torch.arange(window), indexing="ij")).flatten(1)
        rel = (coords[:, :, None] - coords[:, None, :]).permute(1, 2, 0).contiguous() + window - 1
        rel[:, :, 0] *= 2 * window - 1
        self.register_buffer("index", rel.sum(-1))  #! rel.sum(-1) => rel
        self.qkv = nn.Linear(dim, dim * 3)
        self.proj = nn.Linear(dim, dim)

    def forward(self, x, mask=None):
        b, n, c = x.shape
        qkv = self.qkv(x).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)  #! b, n, 3, self.heads => b, n, self.heads, 3
        q, k, v = qkv.unbind(0)
        attn = (q * self.scale) @ k.transpose(-2, -1)
        bias = self.table[self.index.view(-1)].view(n, n, -1).permute(2, 0, 1)  #! .permute(2, 0, 1) => .permute(1, 2, 0)
        attn = attn + bias.unsqueeze(0)
        if mask is not None:
            nw = mask.shape[0]
            attn = attn.view(b // nw, nw, self.heads, n, n) + mask[:, None]  #! mask[:, None] => mask
            attn = attn.view(-1, self.heads, n, n)
        x = (attn.softmax(-1) @ v).transpose(1, 2).reshape(b, n, c)
        return self.proj(x)


class SwinBlock(nn.Module):
    def __init__(self, dim, resolution, heads, window, shift, ratio=2.0):
        super().__init__()
        self.resolution, self.window = resolution, window
        self.shift = shift if min(resolution) > window else 0
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = WindowAttention(dim, window, heads)
        hidden = int(dim * ratio)
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))
        mask = None
        if self.shift > 0:
            h, w = resolution
            region = torch.zeros(1, h, w, 1)
            slices = (slice(0, -window), slice(-window, -self.shift), slice(-self.shift, None))
            for i, hs in enumerate(slices):
                for j, ws in enumerate(slices):
                    region[:, hs, ws, :] = i * 3 + j
            flat = window_partition(region, window).squeeze(-1)  #! .squeeze(-1) => .squeeze(1)
            diff = flat[:, None, :] - flat[:, :, None]
            mask = torch.zeros_like(diff).masked_fill(diff != 0, -100.0)
        self.register_buffer("mask", mask)

    def forward(self, x):
        h, w = self.resolution
        b, length, c = x.shape
        assert length == h * w, "input has a wrong size"
        short = x
        x = self.norm1(x).view(b, h, w, c)
        if self.shift:
            x = torch.roll(x, (-self.shift, -self.shift), dims=(1, 2))
        windows = self.attn(window_partition(x, self.window), self.mask)
        x = window_reverse(windows, self.window, h, w)
        if self.shift:
            x = torch.roll(x, (self.shift, self.shift), dims=(1, 2))
        x = short + x.reshape(b, h * w, c)  #! x.reshape(b, h * w, c) => x
        return x + self.mlp(self.norm2(x))


class Merge(nn.Module):
    def __init__(self, resolution, dim):
        super().__init__()
        self.resolution = resolution
        self.norm = nn.LayerNorm(4 * dim)
        self.reduce = nn.Linear(4 * dim, 2 * dim, bias=False)  #! 4 * dim, 2 * dim => 4 * dim, dim

    def forward(self, x):
        h, w = self.resolution
        x = x.view(x.size(0), h, w, -1)
        parts = [x[:, i::2, j::2] for j in (0, 1) for i in (0, 1)]
        return self.reduce(self.norm(torch.cat(parts, -1).flatten(1, 2)))  #! .flatten(1, 2) => .flatten(2, 3)


class Swin(nn.Module):
    def __init__(self, size=32, patch=2, classes=10, *, embed, depths, heads, window):
        super().__init__()
        self.patch = nn.Conv2d(3, embed, patch, patch)
        self.norm_in = nn.LayerNorm(embed)
        side = size // patch
        self.stages = nn.ModuleList()
        for i, (depth, head) in enumerate(zip(depths, heads)):
            dim, res = embed * 2 ** i, (side // 2 ** i,) * 2
            blocks = [SwinBlock(dim, res, head, window, 0 if d % 2 == 0 else window // 2) for d in range(depth)]
            if i + 1 < len(depths):
                blocks.append(Merge(res, dim))
            self.stages.append(nn.Sequential(*blocks))
        self.features = embed * 2 ** (len(depths) - 1)
        self.norm = nn.LayerNorm(self.features)
        self.head = nn.Linear(self.features, classes) if classes else nn.Identity()

    def forward(self, x):
        x = self.norm_in(self.patch(x).flatten(2).transpose(1, 2))  #! .transpose(1, 2) => .transpose(0, 1)
        maps = []
        for stage in self.stages:
            x = stage(x)
            maps.append(x)
        return self.head(self.norm(x).mean(1)), maps


def create(name, **overrides):
    return Swin(**{**VARIANTS[name], **overrides})


if __name__ == "__main__":
    builders = {name: partial(create, name) for name in VARIANTS}
    for name, build in builders.items():
        model = build(classes=7)
        logits, maps = model(torch.randn(2, 3, 32, 32))
        print(name, logits.shape)
    reveal_type(logits)
    reveal_type(maps[0])
    reveal_type(maps[-1])
    body = create("nano", classes=0, size=64)
    out, _ = body(torch.randn(1, 3, 64, 64))  #! 3, 64, 64 => 3, 32, 32
    reveal_type(out)
    labels = torch.randint(0, 7, (2,))
    print(F.cross_entropy(logits, labels))

"""A small windowed vision transformer: shifted windows, relative positions, patch merging, stochastic depth."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def to_windows(x, w):
    b, h, wd, c = x.shape
    x = x.view(b, h // w, w, wd // w, w, c)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(-1, w * w, c)  #! w * w => w


def from_windows(x, w, h, wd):
    b = x.shape[0] // ((h // w) * (wd // w))
    x = x.view(b, h // w, wd // w, w, w, -1)
    return x.permute(0, 1, 3, 2, 4, 5).reshape(b, h, wd, -1)


class DropPath(nn.Module):
    def __init__(self, p=0.0):
        super().__init__()
        self.p = p

    def forward(self, x):
        if self.p == 0.0 or not self.training:
            return x
        keep = 1 - self.p
        mask = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(keep)  #! (1,) * (x.ndim - 1) => (2,) * (x.ndim - 1)
        return x / keep * mask


class WindowAttention(nn.Module):
    def __init__(self, dim, window, heads):
        super().__init__()
        self.heads, self.scale = heads, (dim // heads) ** -0.5
        self.table = nn.Parameter(torch.zeros((2 * window - 1) ** 2, heads))
        coords = torch.stack(torch.meshgrid(torch.arange(window), torch.arange(window), indexing="ij")).flatten(1)
        rel = (coords[:, :, None] - coords[:, None, :]).permute(1, 2, 0) + window - 1
        self.register_buffer("index", rel[..., 0] * (2 * window - 1) + rel[..., 1], persistent=False)
        self.qkv, self.proj = nn.Linear(dim, 3 * dim), nn.Linear(dim, dim)  #! 3 * dim => 2 * dim

    def forward(self, x, mask=None):
        n, l, c = x.shape
        q, k, v = self.qkv(x).reshape(n, l, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4)
        att = q @ k.transpose(-2, -1) * self.scale  #! k.transpose(-2, -1) => k
        bias = self.table[self.index.view(-1)].view(l, l, -1).permute(2, 0, 1)  #! .permute(2, 0, 1) => 
        att = att + bias.unsqueeze(0)
        if mask is not None:
            g = mask.shape[0]
            att = att.view(n // g, g, self.heads, l, l) + mask[:, None]  #! mask[:, None] => mask
            att = att.flatten(0, 1)
        x = (att.softmax(-1) @ v).transpose(1, 2).reshape(n, l, c)
        return self.proj(x)


class Block(nn.Module):
    def __init__(self, dim, size, heads, window=4, shift=0, drop=0.0):
        super().__init__()
        self.window, self.shift = window, shift
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = WindowAttention(dim, window, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(), nn.Linear(4 * dim, dim))
        self.path = DropPath(drop)
        mask = None
        if shift > 0:
            img = torch.zeros(1, size, size, 1)
            cuts = (slice(0, -window), slice(-window, -shift), slice(-shift, None))
            for i, hs in enumerate(cuts):
                for j, ws in enumerate(cuts):
                    img[:, hs, ws, :] = 3 * i + j
            ids = to_windows(img, window).squeeze(-1)
            mask = (ids[:, None] != ids[:, :, None]).float() * -100
        self.register_buffer("mask", mask)

    def forward(self, x):
        b, h, w, c = x.shape
        y = self.norm1(x)
        if self.shift:
            y = y.roll((-self.shift, -self.shift), dims=(1, 2))
        y = from_windows(self.attn(to_windows(y, self.window), self.mask), self.window, h, w)
        if self.shift:
            y = y.roll((self.shift, self.shift), (1, 2))
        x = x + self.path(y)
        return x + self.path(self.mlp(self.norm2(x)))


class Merge(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.norm = nn.LayerNorm(4 * dim)
        self.reduce = nn.Linear(4 * dim, 2 * dim, bias=False)

    def forward(self, x):
        parts = [x[:, i::2, j::2] for j in (0, 1) for i in (0, 1)]
        return self.reduce(self.norm(torch.cat(parts, -1)))  #! torch.cat(parts, -1) => torch.cat(parts, 1)


class TinySwin(nn.Module):
    def __init__(self, img=32, patch=2, dim=24, depths=(2, 2), heads=(3, 6), classes=7, path=0.1):
        super().__init__()
        self.patch = nn.Conv2d(3, dim, patch, patch)
        rates = torch.linspace(0, path, sum(depths)).tolist()
        size, self.stages = img // patch, nn.ModuleList()
        for s, (depth, nh) in enumerate(zip(depths, heads)):
            blocks = [Block(dim, size, nh, shift=0 if i % 2 == 0 else 2, drop=rates[sum(depths[:s]) + i]) for i in range(depth)]
            last = s == len(depths) - 1
            self.stages.append(nn.Sequential(*blocks, nn.Identity() if last else Merge(dim)))
            if not last:
                dim, size = dim * 2, size // 2  #! dim * 2 => dim * 4
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, classes)

    def forward(self, x):
        x = self.patch(x).permute(0, 2, 3, 1)  #! .permute(0, 2, 3, 1) => 
        for stage in self.stages:
            x = stage(x)
        return self.head(self.norm(x).mean((1, 2)))  #! mean((1, 2)) => mean((2, 3))


net = TinySwin()
x = torch.randn(4, 3, 32, 32)
y = net(x)
reveal_type(y)
reveal_type(net.stages[0][1].mask)
reveal_type(net.stages[0](net.patch(x).permute(0, 2, 3, 1)))
reveal_type(net.stages[1][0].attn.index)
target = torch.tensor([1, 0, 3, 6])
loss = F.cross_entropy(y, target, label_smoothing=0.1)  #! F.cross_entropy(y, target => F.cross_entropy(y.argmax(1), target
loss.backward()
big = TinySwin(img=64, depths=(2, 2, 2), heads=(2, 4, 8), classes=3)
reveal_type(big(torch.randn(1, 3, 64, 64)))

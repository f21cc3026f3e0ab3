"""Cross-attention to latents with einops layers, Fourier positions, several modalities with learned pads, a query decoder per task."""
from math import pi

import torch
import torch.nn.functional as F
from einops import pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import Rearrange, Reduce
from torch import einsum, nn


def exists(v):
    return v is not None


def default(v, d):
    return v if exists(v) else d


def fourier(x, max_freq, bands=4):
    x = x.unsqueeze(-1)
    scales = torch.linspace(1.0, max_freq / 2, bands)
    orig, x = x, x * scales * pi
    x = torch.cat([x.sin(), x.cos()], dim=-1)
    return torch.cat((x, orig), dim=-1)


class PreNorm(nn.Module):
    def __init__(self, dim, fn, context_dim=None):
        super().__init__()
        self.fn, self.norm = fn, nn.LayerNorm(dim)
        self.norm_context = nn.LayerNorm(context_dim) if exists(context_dim) else None

    def forward(self, x, **kwargs):
        x = self.norm(x)
        if exists(self.norm_context):
            kwargs.update(context=self.norm_context(kwargs["context"]))
        return self.fn(x, **kwargs)


class GEGLU(nn.Module):
    def forward(self, x):
        x, gates = x.chunk(2, dim=-1)
        return x * F.gelu(gates)


def FeedForward(dim, mult=4):
    return nn.Sequential(nn.Linear(dim, dim * mult * 2), GEGLU(), nn.Linear(dim * mult, dim))  #! dim * mult * 2 => dim * mult


class Attention(nn.Module):
    def __init__(self, query_dim, context_dim=None, heads=4, dim_head=16):
        super().__init__()
        inner = dim_head * heads
        context_dim = default(context_dim, query_dim)
        self.scale, self.heads = dim_head ** -0.5, heads
        self.to_q = nn.Linear(query_dim, inner, bias=False)
        self.to_kv = nn.Linear(context_dim, inner * 2, bias=False)  #! context_dim, inner * 2 => query_dim, inner * 2
        self.to_out = nn.Linear(inner, query_dim)

    def forward(self, x, context=None, mask=None):
        h = self.heads
        q = self.to_q(x)
        k, v = self.to_kv(default(context, x)).chunk(2, dim=-1)  #! dim=-1 => dim=-2
        q, k, v = map(lambda t: rearrange(t, "b n (h d) -> (b h) n d", h=h), (q, k, v))  #! "b n (h d) -> (b h) n d" => "b n (h d) -> b h n d"
        sim = einsum("b i d, b j d -> b i j", q, k) * self.scale
        if exists(mask):
            mask = repeat(mask, "b j -> (b h) () j", h=h)  #! "b j -> (b h) () j" => "b j -> (b h) j"
            sim.masked_fill_(~mask, -torch.finfo(sim.dtype).max)
        out = einsum("b i j, b j d -> b i d", sim.softmax(dim=-1), v)
        return self.to_out(rearrange(out, "(b h) n d -> b n (h d)", h=h))


class Modality(nn.Module):
    def __init__(self, name, channels, axes, bands, width):
        super().__init__()
        self.name, self.axes, self.bands = name, axes, bands
        own = channels + axes * (2 * bands + 1)
        assert own <= width, name
        self.pad = nn.Parameter(torch.randn(1, 1, width - own))  #! width - own => width

    def forward(self, x):
        b, *axis, _ = x.shape
        assert len(axis) == self.axes
        pos = torch.stack(torch.meshgrid(*[torch.linspace(-1.0, 1.0, n) for n in axis], indexing="ij"), dim=-1)
        enc = rearrange(fourier(pos, 10.0, self.bands), "... n d -> ... (n d)")
        x = torch.cat((x, repeat(enc, "... -> b ...", b=b)), dim=-1)  #! dim=-1 => dim=1
        x = rearrange(x, "b ... d -> b (...) d")
        return torch.cat((x, self.pad.expand(b, x.shape[1], -1)), dim=-1)


class PerceiverIO(nn.Module):
    def __init__(self, modalities, width=48, latents=10, dim=32, depth=2, queries=None):
        super().__init__()
        self.modalities = nn.ModuleDict({m.name: m for m in modalities})
        self.latents = nn.Parameter(torch.randn(latents, dim))
        self.cross = nn.ModuleList([PreNorm(dim, Attention(dim, width), context_dim=width), PreNorm(dim, FeedForward(dim))])
        block = lambda: nn.ModuleList([PreNorm(dim, Attention(dim)), PreNorm(dim, FeedForward(dim))])
        self.layers = nn.ModuleList([block() for _ in range(depth)])
        self.queries = nn.ParameterDict({k: nn.Parameter(torch.randn(n, dim)) for k, (n, _) in queries.items()})  #! torch.randn(n, dim) => torch.randn(n, width)
        self.decoder = PreNorm(dim, Attention(dim, dim), context_dim=dim)
        self.heads = nn.ModuleDict({k: nn.Linear(dim, out) for k, (_, out) in queries.items()})
        self.pool = nn.Sequential(Reduce("b n d -> b d", "mean"), nn.LayerNorm(dim), nn.Linear(dim, 2))  #! Reduce("b n d -> b d", "mean") => Reduce("b n d -> b n", "mean")

    def forward(self, inputs, mask=None):
        data, shapes = pack([self.modalities[k](v) for k, v in inputs.items()], "b * d")
        x = repeat(self.latents, "n d -> b n d", b=data.shape[0])
        attend, ff = self.cross
        x = attend(x, context=data, mask=mask) + x
        x = ff(x) + x
        for attend, ff in self.layers:
            x = attend(x) + x
            x = ff(x) + x
        outs = {}
        for k, q in self.queries.items():
            z = self.decoder(repeat(q, "n d -> b n d", b=x.shape[0]), context=x)
            outs[k] = self.heads[k](z)
        parts = unpack(data, shapes, "b * d")
        return outs, self.pool(x), parts


if __name__ == "__main__":
    mods = [Modality("image", 3, 2, 4, 48), Modality("audio", 1, 1, 6, 48)]
    model = PerceiverIO(mods, queries={"depth": (16, 1), "caption": (5, 30)})
    inputs = {"image": torch.rand(2, 6, 6, 3), "audio": torch.rand(2, 20, 1)}  #! torch.rand(2, 20, 1) => torch.rand(2, 1, 20)
    mask = torch.ones(2, 56, dtype=torch.bool)  #! 2, 56 => 2, 57
    outs, pooled, parts = model(inputs, mask)
    reveal_type(outs["caption"])
    reveal_type(outs["depth"])
    reveal_type(pooled)
    reveal_type(parts[0])
    depth = rearrange(outs["depth"], "b (h w) 1 -> b h w", h=4)  #! h=4 => h=5
    reveal_type(depth)
    coarse = reduce(depth, "b (h 2) (w 2) -> b h w", "max")
    reveal_type(coarse)
    to_tokens = nn.Sequential(Rearrange("b h w -> b (h w)"), nn.Linear(4, 8))  #! nn.Linear(4, 8) => nn.Linear(2, 8)
    reveal_type(to_tokens(coarse))

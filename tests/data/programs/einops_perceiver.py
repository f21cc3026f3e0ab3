"""Attention over anything with einops: layers in Sequential, packing of several inputs, cross attention from learned latents."""
from functools import wraps
from math import log, pi

import torch
import torch.nn.functional as F
from einops import einsum, pack, rearrange, reduce, repeat, unpack
from einops.layers.torch import EinMix, Rearrange, Reduce
from torch import nn


def exists(val):
    return val is not None


def default(val, d):
    return val if exists(val) else d


def cache_fn(f):
    cache = dict()

    @wraps(f)
    def cached_fn(*args, _cache=True, key=None, **kwargs):
        if not _cache:
            return f(*args, **kwargs)
        if key in cache:
            return cache[key]
        result = f(*args, **kwargs)
        cache[key] = result
        return result

    return cached_fn


def fourier_encode(x, max_freq, num_bands=4):
    x = x.unsqueeze(-1)
    orig_x = x
    scales = torch.linspace(1.0, max_freq / 2, num_bands)
    scales = scales[(*((None,) * (len(x.shape) - 1)), Ellipsis)]
    x = x * scales * pi
    x = torch.cat([x.sin(), x.cos()], dim=-1)
    return torch.cat((x, orig_x), dim=-1)


class PreNorm(nn.Module):
    def __init__(self, dim, fn, context_dim=None):
        super().__init__()
        self.fn = fn
        self.norm = nn.LayerNorm(dim)
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


class FeedForward(nn.Module):
    def __init__(self, dim, mult=4):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, dim * mult * 2), GEGLU(), nn.Linear(dim * mult, dim))  #! nn.Linear(dim * mult, dim) => nn.Linear(dim * mult * 2, dim)

    def forward(self, x):
        return self.net(x)


class Attention(nn.Module):
    def __init__(self, query_dim, context_dim=None, heads=8, dim_head=64):
        super().__init__()
        inner_dim = dim_head * heads
        context_dim = default(context_dim, query_dim)
        self.scale, self.heads = dim_head**-0.5, heads
        self.to_q, self.to_kv = nn.Linear(query_dim, inner_dim, bias=False), nn.Linear(context_dim, inner_dim * 2, bias=False)
        self.to_out = nn.Linear(inner_dim, query_dim)

    def forward(self, x, context=None, mask=None):
        h = self.heads
        q = self.to_q(x)
        k, v = self.to_kv(default(context, x)).chunk(2, dim=-1)
        q, k, v = map(lambda t: rearrange(t, "b n (h d) -> (b h) n d", h=h), (q, k, v))  #! "b n (h d) -> (b h) n d", h=h), (q, k, v) => "b n (h d) -> (b h) n d", h=h), (q, v, k.mT)
        sim = einsum(q, k, "b i d, b j d -> b i j") * self.scale
        if exists(mask):
            mask = rearrange(mask, "b ... -> b (...)")
            mask = repeat(mask, "b j -> (b h) () j", h=h)  #! "b j -> (b h) () j" => "b j -> (b h) j ()"
            sim.masked_fill_(~mask, -torch.finfo(sim.dtype).max)
        out = einsum(sim.softmax(dim=-1), v, "b i j, b j d -> b i d")
        return self.to_out(rearrange(out, "(b h) n d -> b n (h d)", h=h))


class Perceiver(nn.Module):
    def __init__(self, *, num_freq_bands, depth, max_freq, input_channels=3, input_axis=2, num_latents=16, latent_dim=32, num_classes=10, weight_tie_layers=False):
        super().__init__()
        self.input_axis, self.max_freq, self.num_freq_bands = input_axis, max_freq, num_freq_bands
        input_dim = input_axis * ((num_freq_bands * 2) + 1) + input_channels  #! num_freq_bands * 2) + 1) => num_freq_bands * 2))
        self.latents = nn.Parameter(torch.randn(num_latents, latent_dim))
        get_cross_attn = lambda: PreNorm(latent_dim, Attention(latent_dim, input_dim, heads=1, dim_head=16), context_dim=input_dim)
        get_cross_ff = lambda: PreNorm(latent_dim, FeedForward(latent_dim))
        get_latent_attn = lambda: PreNorm(latent_dim, Attention(latent_dim, heads=4, dim_head=8))
        get_cross_attn, get_cross_ff, get_latent_attn = map(cache_fn, (get_cross_attn, get_cross_ff, get_latent_attn))
        self.layers = nn.ModuleList([])
        for i in range(depth):
            cache_args = {"_cache": i > 0 and weight_tie_layers}
            self_attns = nn.ModuleList([get_latent_attn(**cache_args, key=j) for j in range(2)])
            self.layers.append(nn.ModuleList([get_cross_attn(**cache_args), get_cross_ff(**cache_args), self_attns]))
        self.to_logits = nn.Sequential(Reduce("b n d -> b d", "mean"), nn.LayerNorm(latent_dim), nn.Linear(latent_dim, num_classes))

    def forward(self, data, mask=None, return_embeddings=False):
        b, *axis, _ = data.shape
        assert len(axis) == self.input_axis, "input data must have the right number of axis"
        axis_pos = list(map(lambda size: torch.linspace(-1.0, 1.0, steps=size), axis))
        pos = torch.stack(torch.meshgrid(*axis_pos, indexing="ij"), dim=-1)
        enc_pos = fourier_encode(pos, self.max_freq, self.num_freq_bands)
        enc_pos = rearrange(enc_pos, "... n d -> ... (n d)")
        enc_pos = repeat(enc_pos, "... -> b ...", b=b)
        data = torch.cat((data, enc_pos), dim=-1)
        data = rearrange(data, "b ... d -> b (...) d")
        x = repeat(self.latents, "n d -> b n d", b=b)
        for cross_attn, cross_ff, self_attns in self.layers:
            x = cross_attn(x, context=data, mask=mask) + x
            x = cross_ff(x) + x
            for attn in self_attns:
                x = attn(x) + x
        return x if return_embeddings else self.to_logits(x)


class MLPMixer(nn.Sequential):
    def __init__(self, channels, size, patch, dim, depth, classes):
        n = (size // patch) ** 2
        mix = lambda f: nn.Sequential(nn.LayerNorm(dim), f)
        blocks = [nn.Sequential(mix(EinMix("b n c -> b n2 c", weight_shape="n n2", bias_shape="n2", n=n, n2=n)), nn.GELU(), mix(nn.Linear(dim, dim))) for _ in range(depth)]
        super().__init__(Rearrange("b c (h p1) (w p2) -> b (h w) (p1 p2 c)", p1=patch, p2=patch), nn.Linear(patch**2 * channels, dim), *blocks, Reduce("b n c -> b c", "max"), nn.Linear(dim, classes))


if __name__ == "__main__":
    model = Perceiver(num_freq_bands=6, depth=2, max_freq=10.0, weight_tie_layers=True)
    images = torch.randn(2, 12, 10, 3)
    mask = torch.ones(2, 12, 10).bool()
    reveal_type(model(images, mask=mask))
    reveal_type(model(images, return_embeddings=True))
    reveal_type(MLPMixer(3, 32, 8, 24, 2, 5)(torch.randn(4, 3, 32, 32)))
    text, image = torch.randn(2, 7, 16), torch.randn(2, 4, 4, 16)
    tokens, ps = pack([text, image], "b * d")
    reveal_type(tokens)
    text, image = unpack(nn.Linear(16, 8)(tokens), ps, "b * d")
    reveal_type(image)
    pooled = reduce(image, "b (h 2) (w 2) d -> b h w d", "max")  #! (h 2) (w 2) => (h 3) (w 2)
    reveal_type(pooled)
    heads, bias = torch.randn(2, 3, 7, 16), torch.randn(3)
    reveal_type(torch.einsum("bhid,bhjd,h->bhij", heads, heads, bias))

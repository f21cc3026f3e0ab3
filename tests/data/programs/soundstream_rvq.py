"""A neural audio codec: strided causal convolutions, residual vector quantisation with code replacement, and spectral losses at many scales."""
import math
from contextlib import contextmanager
from functools import cached_property, lru_cache, partial, reduce
from operator import mul

import torch
import torch.nn as nn
import torch.nn.functional as F
from einops import rearrange, repeat
from torch.nn.utils.parametrizations import weight_norm


def default(value, fallback):
    return value if value is not None else fallback() if callable(fallback) else fallback


class CausalConv1d(nn.Module):
    def __init__(self, cin, cout, kernel, *, stride=1, dilation=1, pad_mode="constant", **kwargs):
        super().__init__()
        self.pad_mode = pad_mode
        self.causal_padding = dilation * (kernel - 1) + (1 - stride)  #! + (1 - stride) => + (1 - stride) - 1
        self.conv = weight_norm(nn.Conv1d(cin, cout, kernel, stride=stride, dilation=dilation, **kwargs))

    def forward(self, x):
        return self.conv(F.pad(x, (self.causal_padding, 0), mode=self.pad_mode))


class CausalConvTranspose1d(nn.Module):
    def __init__(self, cin, cout, kernel, stride):
        super().__init__()
        self.upsample = stride
        self.conv = nn.ConvTranspose1d(cin, cout, kernel, stride)

    def forward(self, x):
        n = x.shape[-1]
        return self.conv(x)[..., : n * self.upsample]


class Residual(nn.Module):
    def __init__(self, fn):
        super().__init__()
        self.fn = fn

    def forward(self, x, **kwargs):
        return self.fn(x, **kwargs) + x


def residual_unit(cin, cout, dilation, kernel=7):
    return Residual(nn.Sequential(CausalConv1d(cin, cout, kernel, dilation=dilation), nn.ELU(), CausalConv1d(cout, cout, 1), nn.ELU()))


def encoder_block(cin, cout, stride, cycle=(1, 3)):
    units = [residual_unit(cin, cin, d) for d in cycle]
    return nn.Sequential(*units, CausalConv1d(cin, cout, 2 * stride, stride=stride))


def decoder_block(cin, cout, stride, cycle=(1, 3)):
    units = [residual_unit(cout, cout, d) for d in cycle]
    return nn.Sequential(CausalConvTranspose1d(cin, cout, 2 * stride, stride), *units)  #! (cin, cout, 2 * stride, stride) => (cin, cin, 2 * stride, stride)


class EuclideanCodebook(nn.Module):
    def __init__(self, dim, size, decay=0.8, threshold=2):
        super().__init__()
        self.size, self.decay, self.threshold = size, decay, threshold
        embed = torch.empty(size, dim)
        nn.init.kaiming_uniform_(embed)
        self.register_buffer("initted", torch.tensor([True]))
        self.register_buffer("cluster_size", torch.zeros(size))
        self.register_buffer("embed_avg", embed.clone())
        self.register_buffer("embed", embed)

    def replace(self, samples, mask):
        if not mask.any():
            return
        indices = torch.randint(0, samples.shape[0], (self.size,))
        self.embed.data.copy_(torch.where(mask[:, None], samples[indices], self.embed))  #! mask[:, None] => mask

    def forward(self, x):
        shape = x.shape
        flat = rearrange(x, "... d -> (...) d")
        dist = -torch.cdist(flat, self.embed, p=2)
        ids = dist.argmax(dim=-1)
        onehot = F.one_hot(ids, self.size).type(flat.dtype)
        quantize = F.embedding(ids, self.embed).view(*shape)
        if self.training:
            self.cluster_size.lerp_(onehot.sum(0), 1 - self.decay)  #! onehot.sum(0) => onehot.sum(1)
            self.embed_avg.lerp_(onehot.t() @ flat.detach(), 1 - self.decay)
            total = self.cluster_size.sum()
            smoothed = (self.cluster_size + 1e-5) / (total + self.size * 1e-5) * total
            self.embed.data.copy_(self.embed_avg / smoothed.unsqueeze(1))
            self.replace(flat.detach(), self.cluster_size < self.threshold)
        return quantize, ids.view(*shape[:-1])  #! shape[:-1] => shape


class VectorQuantize(nn.Module):
    def __init__(self, dim, size, codebook_dim=None):
        super().__init__()
        inner = default(codebook_dim, dim)
        self.project_in = nn.Linear(dim, inner) if inner != dim else nn.Identity()
        self.project_out = nn.Linear(inner, dim) if inner != dim else nn.Identity()  #! nn.Linear(inner, dim) => nn.Linear(dim, inner)
        self.codebook = EuclideanCodebook(inner, size)

    def forward(self, x):
        x = self.project_in(x)
        quantize, ids = self.codebook(x)
        commit = F.mse_loss(quantize.detach(), x)
        quantize = x + (quantize - x).detach()
        return self.project_out(quantize), ids, commit


class ResidualVQ(nn.Module):
    def __init__(self, *, num_quantizers, dropout=True, **kwargs):
        super().__init__()
        self.layers = nn.ModuleList([VectorQuantize(**kwargs) for _ in range(num_quantizers)])
        self.dropout = dropout

    @cached_property
    def codebooks(self):
        return torch.stack([layer.codebook.embed for layer in self.layers])

    def codes_from_indices(self, indices):
        batch, length = indices.shape[:2]
        codebooks = repeat(self.codebooks, "q c d -> q b c d", b=batch)
        gather = repeat(indices, "b n q -> q b n d", d=codebooks.shape[-1])  #! "b n q -> q b n d" => "b n q -> q n b d"
        return codebooks.gather(2, gather)

    def forward(self, x):
        out, residual, all_ids, losses = 0.0, x, [], []
        keep = int(torch.randint(1, len(self.layers) + 1, ())) if self.training and self.dropout else len(self.layers)
        for index, layer in enumerate(self.layers):
            if index >= keep:
                all_ids.append(torch.full(x.shape[:2], -1, dtype=torch.long))
                losses.append(torch.zeros(()))
                continue
            quantized, ids, loss = layer(residual)
            residual = residual - quantized.detach()
            out = out + quantized
            all_ids.append(ids)
            losses.append(loss)
        return out, torch.stack(all_ids, dim=-1), torch.stack(losses)


class Codec(nn.Module):
    def __init__(self, *, channels=8, strides=(2, 4, 5), mults=(2, 4, 8), dim=24, quantizers=4):
        super().__init__()
        widths = [channels * m for m in (1, *mults)]
        pairs = list(zip(widths[:-1], widths[1:]))
        self.hop = reduce(mul, strides)
        self.encoder = nn.Sequential(
            CausalConv1d(1, channels, 7),
            *[encoder_block(a, b, s) for (a, b), s in zip(pairs, strides)],
            CausalConv1d(widths[-1], dim, 3),
        )
        self.rq = ResidualVQ(dim=dim, size=32, codebook_dim=dim // 2, num_quantizers=quantizers)  #! dim=dim, => dim=dim + 1,
        self.decoder = nn.Sequential(
            CausalConv1d(dim, widths[-1], 7),
            *[decoder_block(b, a, s) for (a, b), s in zip(reversed(pairs), reversed(strides))],  #! decoder_block(b, a, s) => decoder_block(a, b, s)
            CausalConv1d(channels, 1, 7),
        )

    def forward(self, wave):
        if wave.ndim == 2:
            wave = rearrange(wave, "b n -> b 1 n")
        n = wave.shape[-1] // self.hop * self.hop
        wave = wave[..., :n]
        latent = rearrange(self.encoder(wave), "b c n -> b n c")
        quantized, codes, commit = self.rq(latent)
        recon = self.decoder(rearrange(quantized, "b n c -> b c n"))
        return recon, wave, codes, commit.sum()

    @contextmanager
    def evaluating(self):
        was = self.training
        self.eval()
        try:
            yield self
        finally:
            self.train(was)


@lru_cache
def window(size):
    return torch.hann_window(size)


def spectral_loss(a, b, sizes=(32, 64, 128)):
    total = 0.0
    for size in sizes:
        stft = partial(torch.stft, n_fft=size, hop_length=size // 4, window=window(size), return_complex=True)
        fa, fb = (stft(rearrange(t, "b 1 n -> b n")).abs() for t in (a, b))
        total = total + F.l1_loss(fa, fb) + math.sqrt(size / 2) * (fa.clamp(1e-5).log() - fb.clamp(1e-5).log()).pow(2).mean().sqrt()
    return total


def main():
    torch.manual_seed(0)
    codec = Codec()
    optimizer = torch.optim.Adam(codec.parameters(), betas=(0.5, 0.9))
    for _ in range(2):
        wave = torch.randn(3, 811)
        recon, target, codes, commit = codec(wave)
        reveal_type(recon)
        loss = spectral_loss(recon, target) + commit  #! spectral_loss(recon, target) => spectral_loss(recon, wave)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    with codec.evaluating() as model, torch.no_grad():
        _, _, codes, _ = model(torch.randn(2, 1, 400))
        reveal_type(codes)
        reveal_type(model.rq.codes_from_indices(codes))
    print(loss.item(), codec.training)


if __name__ == "__main__":
    main()

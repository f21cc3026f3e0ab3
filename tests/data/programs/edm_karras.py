"""Karras et al. preconditioned diffusion on small images, with a Heun sampler, in the style of a research repository."""
import copy
import math
from dataclasses import dataclass, field
from typing import List

import torch
from torch import nn
import torch.nn.functional as F


@dataclass
class Config:
    image_size: int = 16
    in_channels: int = 3
    base: int = 32
    mults: List[int] = field(default_factory=lambda: [1, 2])
    emb_dim: int = 64
    num_classes: int = 10
    sigma_data: float = 0.5
    P_mean: float = -1.2
    P_std: float = 1.2
    p_uncond: float = 0.1


def append_dims(x, target_dims):
    dims_to_append = target_dims - x.ndim
    if dims_to_append < 0:
        raise ValueError(f"input has {x.ndim} dims but target_dims is {target_dims}")
    return x[(...,) + (None,) * dims_to_append]


class FourierEmbedding(nn.Module):
    def __init__(self, out_features, std=16.0):
        super().__init__()
        assert out_features % 2 == 0
        self.register_buffer("weight", torch.randn([out_features // 2, 1]) * std)  #! [out_features // 2, 1] => [out_features, 1]

    def forward(self, t):
        f = 2 * math.pi * t @ self.weight.T  #! self.weight.T => self.weight
        return torch.cat([f.cos(), f.sin()], dim=-1)


class AdaGN(nn.Module):
    def __init__(self, emb_dim, channels, groups=8):
        super().__init__()
        self.norm = nn.GroupNorm(groups, channels, affine=False)
        self.proj = nn.Linear(emb_dim, channels * 2)  #! channels * 2 => channels

    def forward(self, x, emb):
        scale, shift = self.proj(emb)[:, :, None, None].chunk(2, dim=1)
        return torch.addcmul(shift, self.norm(x), scale + 1)


class Block(nn.Module):
    def __init__(self, c_in, c_out, emb_dim):
        super().__init__()
        self.n1, self.n2 = AdaGN(emb_dim, c_in), AdaGN(emb_dim, c_out)  #! AdaGN(emb_dim, c_out) => AdaGN(emb_dim, c_in)
        self.c1 = nn.Conv2d(c_in, c_out, 3, padding=1)
        self.c2 = nn.Conv2d(c_out, c_out, 3, padding=1)
        self.skip = nn.Conv2d(c_in, c_out, 1, bias=False) if c_in != c_out else nn.Identity()

    def forward(self, x, emb):
        h = self.c1(F.silu(self.n1(x, emb)))
        h = self.c2(F.silu(self.n2(h, emb)))
        return self.skip(x) + h


class UNet(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        widths = [cfg.base * m for m in cfg.mults]
        self.time = FourierEmbedding(cfg.emb_dim)
        self.label = nn.Embedding(cfg.num_classes + 1, cfg.emb_dim)
        self.map = nn.Sequential(nn.Linear(cfg.emb_dim, cfg.emb_dim), nn.SiLU(), nn.Linear(cfg.emb_dim, cfg.emb_dim))
        self.stem = nn.Conv2d(cfg.in_channels, widths[0], 3, padding=1)
        self.down, self.up = nn.ModuleList(), nn.ModuleList()
        for i, w in enumerate(widths):
            self.down.append(Block(widths[max(i - 1, 0)], w, cfg.emb_dim))
        for i, w in reversed(list(enumerate(widths))):
            self.up.append(Block(w * 2, widths[max(i - 1, 0)], cfg.emb_dim))  #! Block(w * 2, => Block(w,
        self.out = nn.Conv2d(widths[0], cfg.in_channels, 3, padding=1)
        nn.init.zeros_(self.out.weight)

    def forward(self, x, c_noise, label):
        emb = self.map(self.time(c_noise[:, None]) + self.label(label))  #! self.time(c_noise[:, None]) => self.time(c_noise)
        h, skips = self.stem(x), []
        for block in self.down:
            h = block(h, emb)
            skips.append(h)
            h = F.avg_pool2d(h, 2)
        for block in self.up:
            h = F.interpolate(h, scale_factor=2, mode="nearest")  #! scale_factor=2 => scale_factor=4
            h = block(torch.cat([h, skips.pop()], dim=1), emb)
        return self.out(h)


class Denoiser(nn.Module):
    def __init__(self, inner, sigma_data):
        super().__init__()
        self.inner, self.sigma_data = inner, sigma_data

    def forward(self, x, sigma, label):
        c_skip = self.sigma_data ** 2 / (sigma ** 2 + self.sigma_data ** 2)
        c_out = sigma * self.sigma_data / (sigma ** 2 + self.sigma_data ** 2).sqrt()
        c_in = 1 / (sigma ** 2 + self.sigma_data ** 2).sqrt()
        c_skip, c_out, c_in = [append_dims(c, x.ndim) for c in (c_skip, c_out, c_in)]  #! append_dims(c, x.ndim) => append_dims(c, x.ndim - 1)
        return self.inner(x * c_in, sigma.log() / 4, label) * c_out + x * c_skip


@torch.no_grad()
def update_ema(model, averaged, decay):
    for p, avg in zip(model.parameters(), averaged.parameters()):
        avg.lerp_(p, 1 - decay)


@torch.no_grad()
def heun(model, cfg, labels, steps=5, guidance=2.0):
    ramp = torch.linspace(0, 1, steps)
    sigmas = (80 ** (1 / 7) + ramp * (0.002 ** (1 / 7) - 80 ** (1 / 7))) ** 7
    sigmas = torch.cat([sigmas, sigmas.new_zeros([1])])
    reveal_type(sigmas)
    x = torch.randn(len(labels), cfg.in_channels, cfg.image_size, cfg.image_size) * sigmas[0]
    ones = x.new_ones([x.shape[0]])
    null = torch.full_like(labels, cfg.num_classes)

    def guided(x, sigma):
        both = model(torch.cat([x, x]), torch.cat([sigma * ones] * 2), torch.cat([labels, null]))  #! torch.cat([labels, null]) => labels
        cond, uncond = both.chunk(2)
        return uncond + guidance * (cond - uncond)

    for i in range(len(sigmas) - 1):
        d = (x - guided(x, sigmas[i])) / sigmas[i]
        x_next = x + d * (sigmas[i + 1] - sigmas[i])
        if sigmas[i + 1] > 0:
            d2 = (x_next - guided(x_next, sigmas[i + 1])) / sigmas[i + 1]
            x_next = x + (d + d2) / 2 * (sigmas[i + 1] - sigmas[i])
        x = x_next
    reveal_type(x)
    return x.clamp(-1, 1)


def main():
    cfg = Config()
    model = Denoiser(UNet(cfg), cfg.sigma_data)
    ema = copy.deepcopy(model).requires_grad_(False)
    opt = torch.optim.AdamW(model.parameters(), lr=2e-4)
    for step in range(2):
        x = torch.rand(8, cfg.in_channels, cfg.image_size, cfg.image_size) * 2 - 1
        y = torch.randint(0, cfg.num_classes, (8,))
        y = torch.where(torch.rand(y.shape) < cfg.p_uncond, torch.full_like(y, cfg.num_classes), y)
        sigma = (torch.randn(x.shape[0]) * cfg.P_std + cfg.P_mean).exp()
        weight = (sigma ** 2 + cfg.sigma_data ** 2) / (sigma * cfg.sigma_data) ** 2
        noised = x + torch.randn_like(x) * append_dims(sigma, x.ndim)
        loss = (weight * (model(noised, sigma, y) - x).pow(2).flatten(1).mean(1)).mean()  #! .flatten(1).mean(1) => .flatten(2).mean(1)
        opt.zero_grad()
        loss.backward()
        opt.step()
        update_ema(model, ema, 0.999)
    reveal_type(heun(ema, cfg, torch.arange(4)))


if __name__ == "__main__":
    main()

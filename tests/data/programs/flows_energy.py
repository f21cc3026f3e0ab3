"""Normalising flows with coupling layers and invertible convolutions, trained by maximum likelihood."""
import abc
import math
from typing import List, Sequence, Tuple

import numpy as np
import torch
import torch.nn as nn


class Flow(nn.Module, metaclass=abc.ABCMeta):
    @abc.abstractmethod
    def forward(self, x): ...

    @abc.abstractmethod
    def inverse(self, z): ...


class ActNorm(Flow):
    def __init__(self, channels):
        super().__init__()
        self.loc = nn.Parameter(torch.zeros(1, channels, 1, 1))  #! 1, channels, 1, 1 => 1, 1, 1, channels
        self.log_scale = nn.Parameter(torch.zeros(1, channels, 1, 1))
        self.register_buffer("initialised", torch.tensor(0, dtype=torch.uint8))

    def initialise(self, x):
        with torch.no_grad():
            flat = x.permute(1, 0, 2, 3).contiguous().view(x.shape[1], -1)
            mean = flat.mean(1).view(1, -1, 1, 1)
            std = flat.std(1).view(1, -1, 1, 1)
            self.loc.data.copy_(-mean)
            self.log_scale.data.copy_(-torch.log(std + 1e-6))

    def forward(self, x):
        if self.initialised.item() == 0:
            self.initialise(x)
            self.initialised.fill_(1)
        _, _, h, w = x.shape
        logdet = h * w * self.log_scale.sum()
        return torch.exp(self.log_scale) * (x + self.loc), logdet.expand(x.shape[0])

    def inverse(self, z):
        return z * torch.exp(-self.log_scale) - self.loc


class InvConv(Flow):
    def __init__(self, channels):
        super().__init__()
        q, _ = torch.linalg.qr(torch.randn(channels, channels))
        self.weight = nn.Parameter(q)

    def forward(self, x):
        _, c, h, w = x.shape
        out = nn.functional.conv2d(x, self.weight.view(c, c, 1, 1))  #! view(c, c, 1, 1) => view(c, 1, c, 1)
        logdet = h * w * torch.slogdet(self.weight)[1]
        return out, logdet.expand(x.shape[0])

    def inverse(self, z):
        return nn.functional.conv2d(z, self.weight.inverse().unsqueeze(2).unsqueeze(3))  #! .unsqueeze(2).unsqueeze(3) => .unsqueeze(2)


class Coupling(Flow):
    def __init__(self, channels, hidden=16):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(channels // 2, hidden, 3, padding=1), nn.ReLU(),
            nn.Conv2d(hidden, hidden, 1), nn.ReLU(),
            nn.Conv2d(hidden, channels, 3, padding=1),  #! hidden, channels, 3 => hidden, channels // 2, 3
        )

    def forward(self, x):
        a, b = x.chunk(2, 1)
        log_s, t = self.net(a).chunk(2, 1)
        s = torch.sigmoid(log_s + 2)
        out_b = (b + t) * s
        return torch.cat([a, out_b], 1), torch.sum(torch.log(s).view(x.shape[0], -1), 1)

    def inverse(self, z):
        a, b = z.chunk(2, 1)
        log_s, t = self.net(a).chunk(2, 1)  #! self.net(a) => self.net(z)
        return torch.cat([a, b / torch.sigmoid(log_s + 2) - t], 1)


def squeeze2d(x, factor=2):
    b, c, h, w = x.shape
    x = x.view(b, c, h // factor, factor, w // factor, factor)
    x = x.permute(0, 1, 3, 5, 2, 4).contiguous()  #! 0, 1, 3, 5, 2, 4 => 0, 1, 2, 4, 3, 5
    return x.view(b, c * factor * factor, h // factor, w // factor)


def unsqueeze2d(x, factor=2):
    b, c, h, w = x.shape
    x = x.view(b, c // factor ** 2, factor, factor, h, w).permute(0, 1, 4, 2, 5, 3)
    return x.reshape(b, c // factor ** 2, h * factor, w * factor)


class Level(nn.Module):
    def __init__(self, channels, steps, split=True):
        super().__init__()
        c = channels * 4
        self.flows = nn.ModuleList([cls(c) for _ in range(steps) for cls in (ActNorm, InvConv, Coupling)])
        self.split = split

    def forward(self, x) -> Tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        out = squeeze2d(x)
        logdet = 0
        for flow in self.flows:
            out, det = flow(out)
            logdet = logdet + det
        if self.split:
            out, z = out.chunk(2, 1)
        else:
            z = out
        logp = (-0.5 * (z ** 2 + math.log(2 * math.pi))).flatten(1).sum(1)
        return out, logdet, logp, z

    def inverse(self, out, z):
        x = torch.cat([out, z], 1) if self.split else z  #! torch.cat([out, z], 1) => torch.cat([out, z], 2)
        for flow in reversed(self.flows):
            x = flow.inverse(x)
        return unsqueeze2d(x)


class Glow(nn.Module):
    def __init__(self, channels, levels, steps):
        super().__init__()
        self.levels = nn.ModuleList()
        for i in range(levels - 1):
            self.levels.append(Level(channels, steps))
            channels *= 2  #! channels *= 2 => channels *= 4
        self.levels.append(Level(channels, steps, split=False))

    def forward(self, x):
        logp_sum, logdet, zs = 0, 0, []
        for level in self.levels:
            x, det, logp, z = level(x)
            zs.append(z)
            logdet += det
            logp_sum += logp
        return logp_sum, logdet, zs

    def z_shapes(self, channels, size) -> List[Sequence[int]]:
        shapes = []
        for _ in range(len(self.levels) - 1):
            size //= 2
            channels *= 2
            shapes.append((channels, size, size))
        size //= 2
        shapes.append((channels * 4, size, size))  #! channels * 4 => channels * 2
        return shapes

    @torch.no_grad()
    def sample(self, zs):
        x = zs[-1]
        for level, z in zip(reversed(self.levels), reversed(zs)):
            x = level.inverse(x, z)
        return x


def bits_per_dim(logp, logdet, n_pixel):
    loss = -math.log(32) * n_pixel + logdet + logp
    return (-loss / (math.log(2) * n_pixel)).mean()


model = Glow(3, levels=3, steps=2)
opt = torch.optim.Adam(model.parameters(), lr=1e-4)
for i in range(2):
    x = torch.rand(4, 3, 16, 16)  #! 16, 16 => 18, 18
    logp, logdet, zs = model(x)
    loss = bits_per_dim(logp, logdet, int(np.prod(x.shape[1:])))
    opt.zero_grad()
    loss.backward()
    opt.step()
reveal_type(logp)
reveal_type([z.shape for z in zs][0])
samples = model.sample([torch.randn(2, *s) for s in model.z_shapes(3, 16)])
reveal_type(samples)

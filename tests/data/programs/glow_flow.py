"""A multi-scale normalising flow: squeeze, actnorm, invertible 1×1 convolution, coupling and split, forwards and back."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal


class ActNorm(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.loc = nn.Parameter(torch.zeros(1, channels, 1, 1))
        self.scale = nn.Parameter(torch.ones(1, channels, 1, 1))
        self.register_buffer("initialized", torch.tensor(0, dtype=torch.uint8))

    @torch.no_grad()
    def initialize(self, x):
        flat = x.permute(1, 0, 2, 3).contiguous().view(x.shape[1], -1)
        mean = flat.mean(1).view(1, -1, 1, 1)  #! flat.mean(1).view(1, -1, 1, 1) => flat.mean(1).unsqueeze(-1)
        std = flat.std(1)[None, :, None, None]
        self.loc.data.copy_(-mean)
        self.scale.data.copy_(1 / (std + 1e-6))

    def forward(self, x):
        _, _, height, width = x.shape
        if self.initialized.item() == 0:
            self.initialize(x)
            self.initialized.fill_(1)
        logdet = height * width * self.scale.abs().log().sum()
        return self.scale * (x + self.loc), logdet

    def reverse(self, y):
        return y / self.scale - self.loc


class InvConv(nn.Module):
    def __init__(self, channels):
        super().__init__()
        q, _ = torch.linalg.qr(torch.randn(channels, channels))
        p, l, u = torch.linalg.lu(q)
        self.register_buffer("p", p)
        self.register_buffer("mask", torch.tril(torch.ones(channels, channels), -1))
        s = torch.diagonal(u)
        self.register_buffer("sign", torch.sign(s))
        self.l, self.log_s, self.u = nn.Parameter(l), nn.Parameter(s.abs().log()), nn.Parameter(torch.triu(u, 1))

    def weight(self):
        eye = torch.eye(self.mask.shape[0])
        l = self.l * self.mask + eye
        u = self.u * self.mask.T + torch.diag(self.sign * self.log_s.exp())
        return (self.p @ l @ u)[:, :, None, None]  #! [:, :, None, None] => [:, :, None]

    def forward(self, x):
        _, _, h, w = x.shape
        return F.conv2d(x, self.weight()), h * w * self.log_s.sum()

    def reverse(self, y):
        return F.conv2d(y, self.weight().squeeze().inverse()[..., None, None])


class Coupling(nn.Module):
    def __init__(self, channels, hidden):
        super().__init__()
        self.net = nn.Sequential(
            nn.Conv2d(channels // 2, hidden, 3, padding=1), nn.ReLU(), nn.Conv2d(hidden, hidden, 1), nn.ReLU(),
            nn.Conv2d(hidden, channels, 3, padding=1),  #! hidden, channels, 3 => hidden, channels // 2, 3
        )
        self.net[-1].weight.data.zero_()
        self.net[-1].bias.data.zero_()

    def forward(self, x):
        a, b = x.chunk(2, 1)
        log_s, t = self.net(a).chunk(2, 1)
        s = torch.sigmoid(log_s + 2)
        return torch.cat([a, (b + t) * s], 1), torch.log(s).flatten(1).sum(1)

    def reverse(self, y):
        a, b = y.chunk(2, 1)
        log_s, t = self.net(a).chunk(2, 1)
        return torch.cat([a, b / torch.sigmoid(log_s + 2) - t], 1)


class Flow(nn.Module):
    def __init__(self, channels, hidden):
        super().__init__()
        self.parts = nn.ModuleList([ActNorm(channels), InvConv(channels), Coupling(channels, hidden)])

    def forward(self, x):
        logdet = 0
        for part in self.parts:
            x, ld = part(x)
            logdet = logdet + ld
        return x, logdet

    def reverse(self, y):
        for part in reversed(self.parts):
            y = part.reverse(y)
        return y


class Block(nn.Module):
    def __init__(self, channels, flows, hidden, split=True):
        super().__init__()
        squeezed = channels * 4
        self.flows = nn.ModuleList([Flow(squeezed, hidden) for _ in range(flows)])
        self.split = split
        inner = channels * 2 if split else squeezed
        self.prior = nn.Conv2d(inner, inner * 2, 3, padding=1)

    @staticmethod
    def squeeze(x):
        b, c, h, w = x.shape
        x = x.view(b, c, h // 2, 2, w // 2, 2).permute(0, 1, 3, 5, 2, 4)
        return x.contiguous().view(b, c * 4, h // 2, w // 2)

    @staticmethod
    def unsqueeze(x):
        b, c, h, w = x.shape
        x = x.view(b, c // 4, 2, 2, h, w).permute(0, 1, 4, 2, 5, 3)
        return x.contiguous().view(b, c // 4, h * 2, w * 2)

    def forward(self, x):
        out, logdet = self.squeeze(x), 0
        for flow in self.flows:
            out, det = flow(out)
            logdet = logdet + det
        if self.split:
            out, z = out.chunk(2, 1)
            mean, log_sd = self.prior(out).chunk(2, 1)
        else:
            z = out
            mean, log_sd = self.prior(torch.zeros_like(out)).chunk(2, 1)
        log_p = Normal(mean, log_sd.exp()).log_prob(z).flatten(1).sum(1)
        return out, logdet, log_p, z

    def reverse(self, out, eps):
        if self.split:
            mean, log_sd = self.prior(out).chunk(2, 1)
            out = torch.cat([out, mean + log_sd.exp() * eps], 1)
        else:
            mean, log_sd = self.prior(torch.zeros_like(eps)).chunk(2, 1)
            out = mean + log_sd.exp() * eps
        for flow in self.flows[::-1]:
            out = flow.reverse(out)
        return self.unsqueeze(out)


class Glow(nn.Module):
    def __init__(self, channels, flows, blocks, hidden=16):
        super().__init__()
        self.blocks = nn.ModuleList()
        for i in range(blocks):
            self.blocks.append(Block(channels, flows, hidden, split=i < blocks - 1))
            channels *= 2  #! channels *= 2 => channels *= 4

    def forward(self, x):
        log_p, logdet, zs = 0, 0, []
        for block in self.blocks:
            x, det, lp, z = block(x)
            zs.append(z)
            logdet, log_p = logdet + det, log_p + lp
        return log_p, logdet, zs

    def reverse(self, zs):
        x = None
        for block, z in zip(self.blocks[::-1], zs[::-1]):  #! zs[::-1] => zs
            x = block.reverse(x, z)
        return x


if __name__ == "__main__":
    torch.manual_seed(0)
    model = Glow(3, 2, 3)
    x = torch.rand(4, 3, 16, 16)
    log_p, logdet, zs = model(x)
    bits = -(log_p + logdet) / (math.log(2) * x[0].numel())
    bits.mean().backward()
    reveal_type(bits)
    reveal_type(zs[0])
    reveal_type(zs[-1])
    with torch.no_grad():
        sample = model.reverse([torch.randn_like(z) * 0.7 for z in zs])
    reveal_type(sample)

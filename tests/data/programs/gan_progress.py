"""A conditional GAN with spectral norm, minibatch deviation, a config of stages, R1 penalty; sampling grids; fixed noise after training."""
import argparse
import math
from pathlib import Path

import numpy as np
import torch
from torch import nn, optim
from torch.nn.utils import spectral_norm
from torch.utils.data import DataLoader, TensorDataset
from torchvision.utils import make_grid


def get_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--latent", default=32, type=int)
    parser.add_argument("--size", default=32, type=int, choices=[16, 32, 64])
    parser.add_argument("--ngf", default=16, type=int)
    parser.add_argument("--classes", default=6, type=int)
    parser.add_argument("--bs", "--batch_size", dest="bs", default=8, type=int)
    parser.add_argument("--out", type=Path, default=Path("out"))
    return parser.parse_args(argv)


class CBN(nn.Module):
    def __init__(self, channels, classes):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels, affine=False)
        self.embed = nn.Embedding(classes, channels * 2)  #! channels * 2 => channels
        self.embed.weight.data[:, :channels].fill_(1.0)

    def forward(self, x, y):
        gamma, beta = self.embed(y).chunk(2, 1)
        return gamma[:, :, None, None] * self.bn(x) + beta[:, :, None, None]  #! gamma[:, :, None, None] => gamma[:, None, None, :]


class GBlock(nn.Module):
    def __init__(self, cin, cout, classes):
        super().__init__()
        self.n1, self.n2 = CBN(cin, classes), CBN(cout, classes)  #! CBN(cout, classes) => CBN(cin, classes)
        self.c1, self.c2 = nn.Conv2d(cin, cout, 3, 1, 1), nn.Conv2d(cout, cout, 3, 1, 1)
        self.sc = nn.Conv2d(cin, cout, 1)
        self.up = nn.Upsample(scale_factor=2)

    def forward(self, x, y):
        h = self.c1(self.up(self.n1(x, y).relu()))
        h = self.c2(self.n2(h, y).relu())
        return h + self.sc(self.up(x))  #! self.sc(self.up(x)) => self.sc(x)


class Generator(nn.Module):
    def __init__(self, args):
        super().__init__()
        stages = int(math.log2(args.size)) - 2
        widths = [args.ngf * 2 ** i for i in range(stages, -1, -1)]
        self.first = widths[0]
        self.fc = nn.Linear(args.latent, widths[0] * 4 * 4)  #! widths[0] * 4 * 4 => widths[0] * 4
        self.blocks = nn.ModuleList([GBlock(a, b, args.classes) for a, b in zip(widths[:-1], widths[1:])])
        self.out = nn.Sequential(nn.BatchNorm2d(widths[-1]), nn.ReLU(), nn.Conv2d(widths[-1], 3, 3, 1, 1), nn.Tanh())

    def forward(self, z, y):
        x = self.fc(z).view(-1, self.first, 4, 4)
        for block in self.blocks:
            x = block(x, y)
        return self.out(x)


class Discriminator(nn.Module):
    def __init__(self, args):
        super().__init__()
        sn = spectral_norm
        layers, c = [sn(nn.Conv2d(3, args.ngf, 3, 1, 1)), nn.LeakyReLU(0.2)], args.ngf
        size = args.size
        while size > 4:
            layers += [sn(nn.Conv2d(c, c * 2, 4, 2, 1)), nn.LeakyReLU(0.2)]  #! c, c * 2, 4, 2, 1 => c, c * 2, 4, 2, 2
            c, size = c * 2, size // 2
        self.body = nn.Sequential(*layers)
        self.last = sn(nn.Conv2d(c + 1, c, 3, 1, 1))  #! c + 1, c => c, c
        self.fc = sn(nn.Linear(c * size * size, 1))
        self.embed = sn(nn.Embedding(args.classes, c * size * size))  #! c * size * size => c

    def forward(self, x, y):
        h = self.body(x)
        std = h.var(0, unbiased=False).add(1e-8).sqrt().mean().view(1, 1, 1, 1).expand(h.size(0), 1, *h.shape[2:])  #! *h.shape[2:] => *h.shape[1:]
        h = self.last(torch.cat([h, std], 1)).relu().flatten(1)
        return self.fc(h).squeeze(1) + (self.embed(y) * h).sum(1)  #! .sum(1) => .sum(0)


def r1(scores, real):
    grad, = torch.autograd.grad(scores.sum(), real, create_graph=True)
    return grad.square().sum((1, 2, 3)).mean()  #! .sum((1, 2, 3)) => .sum((1, 2, 3, 4))


def main(args):
    images = torch.from_numpy(np.random.uniform(-1, 1, (28, 3, args.size, args.size)).astype("float32"))
    loader = DataLoader(TensorDataset(images, torch.randint(args.classes, (28,))), args.bs, shuffle=True, drop_last=True)
    g, d = Generator(args), Discriminator(args)
    og, od = optim.Adam(g.parameters(), 2e-4, (0.0, 0.9)), optim.Adam(d.parameters(), 2e-4, (0.0, 0.9))
    fixed_z = torch.randn(args.classes * 4, args.latent)
    fixed_y = torch.arange(args.classes).repeat_interleave(4)  #! .repeat_interleave(4) => .repeat_interleave(3)
    for real, y in loader:
        n = real.size(0)
        real.requires_grad_(True)
        z = torch.randn(n, args.latent)
        fake = g(z, y)
        scores = d(real, y)
        loss_d = (1 - scores).relu().mean() + (1 + d(fake.detach(), y)).relu().mean() + 5 * r1(scores, real)
        od.zero_grad()
        loss_d.backward()
        od.step()
        loss_g = -d(g(z, y), y).mean()
        og.zero_grad()
        loss_g.backward()
        og.step()
    reveal_type(fake)
    reveal_type(scores)
    with torch.no_grad():
        samples = g.eval()(fixed_z, fixed_y)
    reveal_type(samples)
    grid = make_grid(samples, nrow=4)
    by_class = samples.view(args.classes, 4, *samples.shape[1:])  #! samples.view(args.classes, 4, => samples.view(args.classes, 5,
    means = by_class.mean((1, 3, 4))
    reveal_type(means)
    print(grid.dim(), torch.cdist(means, images.mean((2, 3))).shape, args.out / "grid.png")  #! images.mean((2, 3)) => images.mean((1, 2))


if __name__ == "__main__":
    main(get_args())

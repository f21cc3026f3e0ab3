"""A convolutional variational autoencoder with a beta schedule."""
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn, optim


@dataclass
class Config:
    image_size: int = 32
    channels: list = field(default_factory=lambda: [16, 32, 64])
    latent: int = 20
    beta: float = 0.5
    batch_size: int = 16

    @property
    def bottom(self):
        return self.image_size // 2 ** len(self.channels)  #! 2 ** len => 2 * len


class Encoder(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        blocks = []
        previous = 3
        for width in cfg.channels:
            blocks.append(nn.Sequential(
                nn.Conv2d(previous, width, kernel_size=3, stride=2, padding=1),  #! padding=1 => padding=0
                nn.BatchNorm2d(width),
                nn.ReLU(),
            ))
            previous = width  #! previous = width => pass
        self.blocks = nn.ModuleList(blocks)
        flat = previous * cfg.bottom * cfg.bottom
        self.mu = nn.Linear(flat, cfg.latent)
        self.logvar = nn.Linear(flat, cfg.latent)  #! cfg.latent => cfg.latent + 1

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        x = torch.flatten(x, start_dim=1)  #! start_dim=1 => start_dim=2
        return self.mu(x), self.logvar(x)


class Decoder(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.cfg = cfg
        first, *rest = reversed(cfg.channels)
        self.first = first
        self.expand = nn.Linear(cfg.latent, first * cfg.bottom ** 2)
        layers = []
        for width in rest:
            layers += [nn.ConvTranspose2d(first, width, 4, 2, 1), nn.ReLU()]
            first = width
        layers.append(nn.ConvTranspose2d(first, 3, 4, 2, 1))  #! 4, 2, 1 => 3, 2, 1
        self.net = nn.Sequential(*layers)

    def forward(self, z):
        h = self.expand(z).view(-1, self.first, self.cfg.bottom, self.cfg.bottom)
        return torch.sigmoid(self.net(h))


class VAE(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.encoder = Encoder(cfg)
        self.decoder = Decoder(cfg)

    @staticmethod
    def reparameterize(mu, logvar):
        std = torch.exp(0.5 * logvar)
        return mu + std * torch.randn_like(std)

    def forward(self, x):
        mu, logvar = self.encoder(x)
        z = self.reparameterize(mu, logvar)
        return self.decoder(z), mu, logvar


def elbo(recon, x, mu, logvar, beta):
    rec = F.binary_cross_entropy(recon, x, reduction="sum") / x.size(0)
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp(), dim=1).mean()
    return rec + beta * kld


def main():
    cfg = Config()
    model = VAE(cfg)
    opt = optim.Adam(model.parameters(), lr=1e-3)
    for step in range(3):
        x = torch.rand(cfg.batch_size, 3, cfg.image_size, cfg.image_size)
        recon, mu, logvar = model(x)
        reveal_type(recon)
        reveal_type(mu)
        loss = elbo(recon, x, mu, logvar, cfg.beta)
        opt.zero_grad(set_to_none=True)
        loss.backward()
        opt.step()
    with torch.no_grad():
        samples = model.decoder(torch.randn(8, cfg.latent))  #! 8, cfg.latent => cfg.latent, 8
        reveal_type(samples)


if __name__ == "__main__":
    main()

"""Variational autoencoders: conditional, ladder-like hierarchical, and discrete; importance weighted bound."""
import math
from typing import List
import torch
from torch import nn
from torch.distributions import Bernoulli, Independent, Normal, kl_divergence
from torch.nn import functional as F


class BaseVAE(nn.Module):
    def encode(self, x): raise NotImplementedError
    def decode(self, z): raise NotImplementedError

    def sample(self, n, **kw):
        z = torch.randn(n, self.latent_dim)
        return self.decode(z, **kw)

    @staticmethod
    def reparameterize(mu, logvar):
        return mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)


class ConditionalVAE(BaseVAE):
    def __init__(self, in_channels, classes, latent_dim, hidden_dims: List[int] = None, img=32):
        super().__init__()
        self.latent_dim, self.classes, self.img = latent_dim, classes, img
        hidden_dims = hidden_dims or [16, 32, 64]
        self.embed_class = nn.Linear(classes, img * img)
        self.embed_data = nn.Conv2d(in_channels, in_channels, 1)
        modules, c = [], in_channels + 1  #! in_channels + 1 => in_channels
        for h in hidden_dims:
            modules.append(nn.Sequential(nn.Conv2d(c, h, 3, 2, 1), nn.BatchNorm2d(h), nn.LeakyReLU()))
            c = h
        self.encoder = nn.Sequential(*modules)
        self.side = img // 2 ** len(hidden_dims)
        flat = hidden_dims[-1] * self.side ** 2  #! self.side ** 2 => self.side
        self.fc_mu, self.fc_var = nn.Linear(flat, latent_dim), nn.Linear(flat, latent_dim)
        self.decoder_input = nn.Linear(latent_dim + classes, flat)
        hidden_dims = hidden_dims[::-1]
        self.top = hidden_dims[0]
        ups = [nn.Sequential(nn.ConvTranspose2d(a, b, 3, 2, 1, output_padding=1), nn.BatchNorm2d(b), nn.LeakyReLU()) for a, b in zip(hidden_dims, hidden_dims[1:])]
        self.decoder = nn.Sequential(*ups)
        self.final = nn.Sequential(nn.ConvTranspose2d(hidden_dims[-1], hidden_dims[-1], 3, 2, 1, 1), nn.Conv2d(hidden_dims[-1], in_channels, 3, padding=1), nn.Tanh())  #! nn.Conv2d(hidden_dims[-1], in_channels, 3, padding=1) => nn.Conv2d(hidden_dims[0], in_channels, 3, padding=1)

    def encode(self, x):
        h = self.encoder(x).flatten(start_dim=1)
        return self.fc_mu(h), self.fc_var(h)

    def decode(self, z):
        h = self.decoder_input(z).view(-1, self.top, self.side, self.side)  #! self.top, self.side, self.side => self.top, self.side, self.top
        return self.final(self.decoder(h))

    def forward(self, x, y):
        y = F.one_hot(y, self.classes).float()
        plane = self.embed_class(y).view(-1, self.img, self.img).unsqueeze(1)  #! .unsqueeze(1) => 
        mu, logvar = self.encode(torch.cat([self.embed_data(x), plane], dim=1))
        z = torch.cat([self.reparameterize(mu, logvar), y], dim=1)  #! [self.reparameterize(mu, logvar), y] => [self.reparameterize(mu, logvar)]
        return self.decode(z), x, mu, logvar

    def loss_function(self, recon, x, mu, logvar, beta=1.0):
        kld = torch.mean(-0.5 * torch.sum(1 + logvar - mu ** 2 - logvar.exp(), dim=1), dim=0)
        return {"loss": F.mse_loss(recon, x) + beta * kld, "kld": kld}

    def sample(self, n, y):
        y = F.one_hot(y, self.classes).float()
        return self.decode(torch.cat([torch.randn(n, self.latent_dim), y], 1))


class IWAE(BaseVAE):
    def __init__(self, n_in, latent_dim, k=8):
        super().__init__()
        self.latent_dim, self.k = latent_dim, k
        self.enc = nn.Sequential(nn.Linear(n_in, 64), nn.Tanh(), nn.Linear(64, 2 * latent_dim))  #! 2 * latent_dim => latent_dim
        self.dec = nn.Sequential(nn.Linear(latent_dim, 64), nn.Tanh(), nn.Linear(64, n_in))

    def encode(self, x):
        mu, raw = self.enc(x).chunk(2, dim=-1)
        return Normal(mu, F.softplus(raw) + 1e-4)

    def decode(self, z):
        return torch.sigmoid(self.dec(z))

    def forward(self, x):
        q = self.encode(x)
        z = q.rsample((self.k,))
        prior = Normal(torch.zeros_like(z), torch.ones_like(z))
        px = Independent(Bernoulli(logits=self.dec(z)), 1)
        log_w = px.log_prob(x) + prior.log_prob(z).sum(-1) - q.log_prob(z).sum(-1)  #! prior.log_prob(z).sum(-1) => prior.log_prob(z)
        kl = kl_divergence(q, Normal(0.0, 1.0)).sum(-1)
        return torch.logsumexp(log_w, dim=0) - math.log(self.k), kl


class Gumbel(nn.Module):
    def __init__(self, n_in, n=10, k=6):
        super().__init__()
        self.n, self.k = n, k
        self.enc, self.dec = nn.Linear(n_in, n * k), nn.Linear(n * k, n_in)

    def forward(self, x, tau=1.0):
        q = self.enc(x).view(-1, self.n, self.k)
        z = F.gumbel_softmax(q, tau=tau, hard=True, dim=-1)
        return self.dec(z.flatten(1)), q  #! z.flatten(1) => z


cvae = ConditionalVAE(3, 10, 20)
x, y = torch.rand(6, 3, 32, 32), torch.randint(0, 10, (6,))
out = cvae(x, y)
losses = cvae.loss_function(*out, beta=0.5)  #! *out => *out[1:]
losses["loss"].backward()
reveal_type(out[0])
reveal_type(cvae.sample(4, torch.arange(4)))
iwae = IWAE(784, 16)
bound, kl = iwae(torch.rand(9, 784).round())
reveal_type(bound)
reveal_type(kl)
reveal_type(iwae.sample(3))
gum = Gumbel(784)
rec, q = gum(torch.rand(9, 784))
reveal_type(q)
ce = F.binary_cross_entropy(torch.sigmoid(rec), torch.rand(9, 784))  #! torch.rand(9, 784) => torch.rand(9, 28, 28)

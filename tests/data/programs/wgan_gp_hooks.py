"""WGAN-GP with generator and critic from channel lists, gradient penalty, spectral norm, EMA, gradient hooks, images in a grid."""
import itertools
import math

import torch
import torch.nn as nn
from torch import autograd
from torch.nn.utils import spectral_norm
from torchvision.utils import make_grid

NZ, SIZE, NC = 24, 32, 3


def weights_init(m):
    name = m.__class__.__name__
    if name.find("Conv") != -1 and hasattr(m, "weight"):
        nn.init.normal_(m.weight.data, 0.0, 0.02)
    elif name.find("BatchNorm") != -1:
        nn.init.normal_(m.weight.data, 1.0, 0.02)
        nn.init.constant_(m.bias.data, 0)


def up(i, o, first=False):
    return nn.Sequential(nn.ConvTranspose2d(i, o, 4, 1 if first else 2, 0 if first else 1, bias=False), nn.BatchNorm2d(o), nn.ReLU(True))


class Generator(nn.Module):
    def __init__(self, nz, base=8, size=32):
        super().__init__()
        steps = int(math.log2(size)) - 3
        chans = [base * 2 ** i for i in range(steps, -1, -1)]
        blocks = [up(nz, chans[0], first=True)]
        for i, o in zip(chans[:-1], chans[1:]):
            blocks.append(up(i, o))
        blocks.append(nn.Sequential(nn.ConvTranspose2d(chans[-1], NC, 4, 2, 1), nn.Tanh()))
        self.main = nn.Sequential(*blocks)

    def forward(self, z):
        if z.dim() == 2:
            z = z[..., None, None]  #! z[..., None, None] => z[..., None]
        return self.main(z)


class Critic(nn.Module):
    def __init__(self, chans=(8, 16, 32)):
        super().__init__()
        self.layers = nn.ModuleList()
        i = NC
        for o in chans:
            self.layers.append(spectral_norm(nn.Conv2d(i, o, 4, 2, 1)))
            i = o
        self.score = nn.Linear(chans[-1] * (SIZE // 2 ** len(chans)) ** 2, 1)  #! 2 ** len(chans) => 2 * len(chans)

    def features(self, x):
        outs = []
        for layer in self.layers:
            x = nn.functional.leaky_relu(layer(x), 0.2)
            outs.append(x)
        return outs

    def forward(self, x):
        return self.score(self.features(x)[-1].flatten(1)).squeeze(1)


def gradient_penalty(critic, real, fake):
    alpha = torch.rand(real.size(0), 1, 1, 1).expand_as(real)  #! real.size(0), 1, 1, 1 => real.size(0), 1
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    scores = critic(mixed)
    (grads,) = autograd.grad(outputs=scores, inputs=mixed, grad_outputs=torch.ones_like(scores), create_graph=True, retain_graph=True)
    reveal_type(grads)
    norms = grads.view(grads.size(0), -1).norm(2, dim=1)
    return ((norms - 1) ** 2).mean()


class EMA:
    def __init__(self, model, decay=0.99):
        self.decay = decay
        self.shadow = {k: v.clone().detach() for k, v in model.state_dict().items()}

    @torch.no_grad()
    def update(self, model):
        for k, v in model.state_dict().items():
            if v.dtype.is_floating_point:
                self.shadow[k].mul_(self.decay).add_(v, alpha=1 - self.decay)
            else:
                self.shadow[k].copy_(v)


gen, critic = Generator(NZ), Critic()
gen.apply(weights_init)
reveal_type(gen.main[0][0].weight)
seen = []
handle = critic.score.register_forward_hook(lambda m, i, o: seen.append(i[0].shape))
gen.main[-1][0].weight.register_hook(lambda g: g.clamp(-1, 1))
opt_g, opt_d = (torch.optim.Adam(m.parameters(), 1e-4, betas=(0.0, 0.9)) for m in (gen, critic))
ema = EMA(gen)
fixed = torch.randn(9, NZ)
stream = itertools.islice(iter(lambda: torch.rand(6, NC, SIZE, SIZE) * 2 - 1, None), 4)
for it, real in enumerate(stream):
    z = torch.randn(real.size(0), NZ)
    fake = gen(z).detach()
    loss_d = critic(fake).mean() - critic(real).mean() + 10.0 * gradient_penalty(critic, real, fake)
    opt_d.zero_grad()
    loss_d.backward()
    opt_d.step()
    if it % 2 == 0:
        f_real = [f.mean(0) for f in critic.features(real)]
        f_fake = [f.mean(0) for f in critic.features(gen(z))]
        matching = sum((a.detach() - b).abs().mean() for a, b in zip(f_real, f_fake))
        loss_g = -critic(gen(torch.randn(4, NZ))).mean() + 0.1 * matching
        opt_g.zero_grad()
        loss_g.backward()
        opt_g.step()
        ema.update(gen)
handle.remove()
reveal_type(loss_d)
reveal_type(critic(torch.rand(5, 3, 32, 32)))
gen.load_state_dict(ema.shadow)
gen.eval()
with torch.no_grad():
    pictures = gen(fixed)
    reveal_type(pictures)
    grid = make_grid(pictures, nrow=3, padding=2, normalize=True)
reveal_type(grid)
pads = torch.zeros(3, 10, grid.shape[2])
banner = torch.cat([grid, pads], dim=1)  #! dim=1) => dim=2)
reveal_type(banner)
walk = torch.stack([torch.lerp(fixed[0], fixed[1], w) for w in torch.linspace(0, 1, 7)])
reveal_type(gen(walk))

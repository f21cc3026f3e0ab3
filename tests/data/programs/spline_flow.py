"""Neural spline flow: coupling layers with rational-quadratic splines, permutations, ActNorm, a bijector base class."""
import abc
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal, Independent, MultivariateNormal


def searchsorted(bin_locations, inputs, eps=1e-6):
    bin_locations = bin_locations.clone()
    bin_locations[..., -1] += eps
    return torch.sum(inputs[..., None] >= bin_locations, dim=-1) - 1  #! inputs[..., None] => inputs


def rational_quadratic(x, uw, uh, ud, inverse=False, bound=3.0, min_w=1e-3, min_h=1e-3, min_d=1e-3):
    num_bins = uw.shape[-1]
    w = F.softmax(uw, dim=-1)
    w = min_w + (1 - min_w * num_bins) * w
    cw = F.pad(torch.cumsum(w, dim=-1), pad=(1, 0), mode="constant", value=0.0)
    cw = 2 * bound * cw - bound
    w = cw[..., 1:] - cw[..., :-1]
    d = min_d + F.softplus(F.pad(ud, (1, 1), value=np.log(np.exp(1 - min_d) - 1)))
    h = F.softmax(uh, dim=-1)
    h = min_h + (1 - min_h * num_bins) * h
    ch = F.pad(torch.cumsum(h, dim=-1), (1, 0), "constant", 0.0)
    ch = 2 * bound * ch - bound
    h = ch[..., 1:] - ch[..., :-1]  #! ch[..., :-1] => ch
    idx = searchsorted(ch if inverse else cw, x).clamp(0, num_bins - 1)[..., None]
    pick = lambda t: t.gather(-1, idx)[..., 0]
    i_cw, i_w, i_ch, i_h = pick(cw), pick(w), pick(ch), pick(h)
    delta = h / w
    i_delta, i_d, i_d1 = pick(delta), pick(d), d[..., 1:].gather(-1, idx)[..., 0]
    if inverse:
        a = (x - i_ch) * (i_d + i_d1 - 2 * i_delta) + i_h * (i_delta - i_d)
        b = i_h * i_d - (x - i_ch) * (i_d + i_d1 - 2 * i_delta)
        c = -i_delta * (x - i_ch)
        root = (2 * c) / (-b - torch.sqrt((b.pow(2) - 4 * a * c).clamp(min=0)))
        out = root * i_w + i_cw
        t1t = root * (1 - root)
        denom = i_delta + (i_d + i_d1 - 2 * i_delta) * t1t
        num = i_delta.pow(2) * (i_d1 * root.pow(2) + 2 * i_delta * t1t + i_d * (1 - root).pow(2))
        return out, -(torch.log(num) - 2 * torch.log(denom))
    theta = (x - i_cw) / i_w
    t1t = theta * (1 - theta)
    denom = i_delta + (i_d + i_d1 - 2 * i_delta) * t1t
    out = i_ch + i_h * (i_delta * theta.pow(2) + i_d * t1t) / denom
    num = i_delta.pow(2) * (i_d1 * theta.pow(2) + 2 * i_delta * t1t + i_d * (1 - theta).pow(2))
    return out, torch.log(num) - 2 * torch.log(denom)


class Bijector(nn.Module, metaclass=abc.ABCMeta):
    @abc.abstractmethod
    def forward(self, x, context=None): ...

    @abc.abstractmethod
    def inverse(self, z, context=None): ...


class ActNorm(Bijector):
    def __init__(self, dim):
        super().__init__()
        self.mu = nn.Parameter(torch.zeros(dim))
        self.log_sigma = nn.Parameter(torch.zeros(dim))
        self.register_buffer("ready", torch.tensor(False))

    def forward(self, x, context=None):
        if self.training and not self.ready:
            with torch.no_grad():
                self.mu.copy_(x.mean(0))  #! x.mean(0) => x.mean(1)
                self.log_sigma.copy_(torch.log(x.std(dim=0) + 1e-6))
                self.ready.fill_(True)
        return (x - self.mu) * torch.exp(-self.log_sigma), -self.log_sigma.sum().expand(x.size(0))

    def inverse(self, z, context=None):
        return z * self.log_sigma.exp() + self.mu, self.log_sigma.sum().expand(len(z))


class Permute(Bijector):
    def __init__(self, dim):
        super().__init__()
        perm = torch.randperm(dim)
        self.register_buffer("perm", perm)
        self.register_buffer("inv", torch.argsort(perm))

    def forward(self, x, context=None):
        return x[:, self.perm], x.new_zeros(x.size(0))

    def inverse(self, z, context=None):
        return z[:, self.inv], z.new_zeros(z.shape[0])


class SplineCoupling(Bijector):
    def __init__(self, dim, hidden=32, bins=6, context=0):
        super().__init__()
        self.split = dim // 2
        self.bins = bins
        self.out_dim = dim - self.split
        self.net = nn.Sequential(nn.Linear(self.split + context, hidden), nn.Tanh(), nn.Linear(hidden, hidden), nn.Tanh(),
                                 nn.Linear(hidden, self.out_dim * (3 * bins - 1)))  #! 3 * bins - 1 => 3 * bins

    def params(self, a, context):
        inp = a if context is None else torch.cat((a, context), dim=-1)
        p = self.net(inp).view(a.size(0), self.out_dim, 3 * self.bins - 1)
        return p.split([self.bins, self.bins, self.bins - 1], dim=2)  #! self.bins - 1] => self.bins]

    def _apply_spline(self, x, context, inverse):
        a, b = x.split((self.split, self.out_dim), 1)
        w, h, d = self.params(a, context)
        inside = (b.abs() <= 3).float()
        b2, logdet = rational_quadratic(b.clamp(-3, 3), w, h, d, inverse=inverse)
        b2 = inside * b2 + (1 - inside) * b
        return torch.cat([a, b2], dim=1), (logdet * inside).sum(dim=1)  #! .sum(dim=1) => .sum(dim=(0, 1), keepdim=True)[:, :1].expand(2, 1)

    def forward(self, x, context=None):
        return self._apply_spline(x, context, False)

    def inverse(self, z, context=None):
        return self._apply_spline(z, context, True)


class Flow(nn.Module):
    def __init__(self, dim, layers=3, context=0):
        super().__init__()
        steps = []
        for _ in range(layers):
            steps += [ActNorm(dim), Permute(dim), SplineCoupling(dim, context=context)]
        self.steps = nn.ModuleList(steps)
        self.register_buffer("loc", torch.zeros(dim))
        self.register_buffer("scale", torch.ones(dim))

    @property
    def base(self):
        return Independent(Normal(self.loc, self.scale), 1)

    def log_prob(self, x, context=None):
        total = torch.zeros(x.shape[0])
        for step in self.steps:
            x, ld = step(x, context)
            total += ld
        return self.base.log_prob(x) + total

    @torch.no_grad()
    def sample(self, n, context=None):
        z = self.base.sample((n,))
        for step in reversed(self.steps):
            z, _ = step.inverse(z, context)
        return z


dim, ctx = 5, 3
flow = Flow(dim, context=ctx)  #! context=ctx => context=ctx - 1
target = MultivariateNormal(torch.zeros(dim), scale_tril=torch.tril(torch.randn(dim, dim)) * 0.3 + torch.eye(dim))  #! torch.zeros(dim) => torch.zeros(dim + 1)
opt = torch.optim.Adam(flow.parameters(), lr=5e-3)
for it in range(2):
    x = target.sample((16,))
    c = torch.randn(16, ctx)
    loss = -flow.log_prob(x, c).mean()  #! flow.log_prob(x, c) => flow.log_prob(x, c.t())
    opt.zero_grad()
    loss.backward()
    opt.step()
flow.eval()
s = flow.sample(7, torch.randn(7, ctx))
reveal_type(s)
reveal_type(flow.log_prob(x, c))
reveal_type(flow.steps[2].params(x[:, :2], c)[2])

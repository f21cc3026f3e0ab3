"""Differential equations with networks: solvers of several orders as classes, adjoint-like loops, a latent model of irregular series."""
import abc
import math

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F


class Solver(metaclass=abc.ABCMeta):
    order: int

    def __init__(self, func, y0, step_size=None):
        self.func, self.y0, self.step_size = func, y0, step_size

    @abc.abstractmethod
    def step(self, t, dt, y):
        ...

    def grid(self, t):
        if self.step_size is None:
            return t
        n = int(math.ceil(float(t[-1] - t[0]) / self.step_size)) + 1
        return torch.linspace(float(t[0]), float(t[-1]), n)

    def integrate(self, t):
        grid = self.grid(t)
        solution = torch.empty(len(t), *self.y0.shape, dtype=self.y0.dtype)
        solution[0] = self.y0
        j, y = 1, self.y0
        for t0, t1 in zip(grid[:-1], grid[1:]):
            y1 = y + self.step(t0, t1 - t0, y)
            while j < len(t) and t1 >= t[j]:
                solution[j] = y + (y1 - y) * (t[j] - t0) / (t1 - t0)
                j += 1
            y = y1
        return solution


class Euler(Solver):
    order = 1

    def step(self, t, dt, y):
        return dt * self.func(t, y)


class RK4(Solver):
    order = 4

    def step(self, t, dt, y):
        k1 = self.func(t, y)
        k2 = self.func(t + dt / 2, y + dt * k1 / 2)
        k3 = self.func(t + dt / 2, y + dt * k2 / 2)
        k4 = self.func(t + dt, y + dt * k3)
        return dt * (k1 + 2 * (k2 + k3) + k4) / 6


SOLVERS = {cls.__name__.lower(): cls for cls in (Euler, RK4)}


def odeint(func, y0, t, method="rk4", options=None):
    if isinstance(y0, tuple):
        shapes = [y.shape for y in y0]
        sizes = [y.numel() for y in y0]
        unpack = lambda y: tuple(p.view(s) for p, s in zip(y.split(sizes), shapes))
        flat = torch.cat([y.reshape(-1) for y in y0])
        solution = odeint(lambda t, y: torch.cat([d.reshape(-1) for d in func(t, unpack(y))]), flat, t, method, options)
        return tuple(p.view(len(t), *s) for p, s in zip(solution.split(sizes, dim=1), shapes))
    return SOLVERS[method](func, y0, **(options or {})).integrate(t)


class ODEFunc(nn.Module):
    def __init__(self, dim, hidden=20):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim + 1, hidden), nn.Tanh(), nn.Linear(hidden, dim))  #! nn.Linear(dim + 1, hidden) => nn.Linear(dim, hidden)
        self.nfe = 0
        for m in self.net.modules():
            if isinstance(m, nn.Linear):
                nn.init.normal_(m.weight, mean=0, std=0.1)

    def forward(self, t, y):
        self.nfe += 1
        return self.net(torch.cat([y, t.expand(y.shape[:-1] + (1,))], dim=-1))  #! (1,))], dim=-1 => (1,))], dim=0


class CNF(nn.Module):
    """A continuous normalising flow with Hutchinson's trace."""

    def __init__(self, dim):
        super().__init__()
        self.func, self.dim = ODEFunc(dim), dim
        self.register_buffer("loc", torch.zeros(dim))
        self.register_buffer("cov", torch.eye(dim))

    def log_prob(self, x, t):
        e = torch.randn_like(x)

        def augmented(s, states):
            z = states[0]
            with torch.enable_grad():
                z = z.detach().requires_grad_(True)
                dz = self.func(s, z)
                grad = torch.autograd.grad((dz * e).sum(), z, create_graph=True)[0]
            return dz, -(grad * e).sum(dim=-1, keepdim=True)

        z, delta = odeint(augmented, (x, torch.zeros(x.size(0), 1)), t, options={"step_size": 0.25})
        base = torch.distributions.MultivariateNormal(self.loc, self.cov)
        return base.log_prob(z[-1]) - delta[-1].squeeze(-1)  #! z[-1]) - => z[-1].T) -


class LatentODE(nn.Module):
    def __init__(self, obs, latent, hidden=24):
        super().__init__()
        self.hidden, self.latent = hidden, latent
        self.i2h, self.h2o = nn.Linear(obs + hidden, hidden), nn.Linear(hidden, latent * 2)
        self.func, self.dec = ODEFunc(latent), nn.Sequential(nn.Linear(latent, hidden), nn.ReLU(), nn.Linear(hidden, obs))

    def forward(self, x, t):
        h = torch.zeros(x.size(0), self.hidden)
        for i in reversed(range(x.size(1))):
            h = torch.tanh(self.i2h(torch.cat((x[:, i, :], h), dim=1)))  #! x[:, i, :] => x[i, :, :]
        out = self.h2o(h)
        mean, logvar = out[:, : self.latent], out[:, self.latent :]
        z0 = torch.randn(mean.size()) * torch.exp(0.5 * logvar) + mean
        z = odeint(self.func, z0, t, method="euler").permute(1, 0, 2)
        kl = -0.5 * (1 + logvar - mean.pow(2) - logvar.exp()).sum(-1)
        return self.dec(z), kl


if __name__ == "__main__":
    torch.manual_seed(0)
    true_A = torch.tensor([[-0.1, 2.0], [-2.0, -0.1]])
    t = torch.linspace(0.0, 5.0, 40)
    with torch.no_grad():
        true_y = odeint(lambda s, y: y @ true_A, torch.tensor([[2.0, 0.0]]), t)
    reveal_type(true_y)
    func = ODEFunc(2)
    optimizer = torch.optim.RMSprop(func.parameters(), lr=1e-3)
    for _ in range(2):
        s = torch.from_numpy(np.random.choice(np.arange(30), 6, replace=False))
        batch_y0, batch_t = true_y[s], t[:5]
        batch_y = torch.stack([true_y[s + i] for i in range(5)], dim=0)
        pred = odeint(func, batch_y0, batch_t)
        loss = torch.mean(torch.abs(pred - batch_y))  #! pred - batch_y => pred[1:] - batch_y
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    reveal_type(pred)
    reveal_type(CNF(2).log_prob(torch.randn(9, 2), torch.tensor([0.0, 1.0])))
    x_hat, kl = LatentODE(3, 4)(torch.randn(5, 12, 3), torch.linspace(0, 1, 12))
    reveal_type(x_hat)
    reveal_type(kl)

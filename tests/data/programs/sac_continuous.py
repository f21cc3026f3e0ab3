"""Soft actor-critic with a NumPy ring buffer, twin critics as one ensemble, squashed Gaussians and a learned temperature."""
from copy import deepcopy
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Independent, Normal, TransformedDistribution
from torch.distributions.transforms import TanhTransform


class Pendulum:
    obs_dim, act_dim, limit = 3, 1, 2.0

    def reset(self):
        self.th, self.v = np.random.uniform(-np.pi, np.pi), np.random.uniform(-1, 1)
        return self.observe()

    def observe(self):
        return np.array([np.cos(self.th), np.sin(self.th), self.v], dtype=np.float32)

    def step(self, u):
        u = float(np.clip(u, -self.limit, self.limit)[0])
        cost = self.th ** 2 + 0.1 * self.v ** 2 + 0.001 * u ** 2
        self.v = np.clip(self.v + (15 * np.sin(self.th) + 3 * u) * 0.05, -8, 8)
        self.th = self.th + self.v * 0.05
        return self.observe(), -cost, False


class Ring:
    def __init__(self, size, obs_dim, act_dim):
        self.obs, self.nxt = (np.zeros((size, obs_dim), dtype=np.float32) for _ in range(2))
        self.act = np.zeros((size, act_dim), dtype=np.float32)  #! (size, act_dim) => (size, act_dim + 1)
        self.rew, self.done = np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.float32)
        self.ptr, self.n, self.size = 0, 0, size

    def add(self, o, a, r, o2, d):
        self.obs[self.ptr], self.act[self.ptr], self.rew[self.ptr], self.nxt[self.ptr], self.done[self.ptr] = o, a, r, o2, d
        self.ptr, self.n = (self.ptr + 1) % self.size, min(self.n + 1, self.size)

    def sample(self, batch):
        i = np.random.randint(0, self.n, size=batch)
        return {k: torch.as_tensor(getattr(self, k)[i]) for k in ("obs", "act", "rew", "nxt", "done")}


def mlp(sizes, act=nn.ReLU, last=nn.Identity):
    return nn.Sequential(*[m for j, (a, b) in enumerate(zip(sizes, sizes[1:])) for m in (nn.Linear(a, b), (act if j < len(sizes) - 2 else last)())])


class EnsembleLinear(nn.Module):
    def __init__(self, k, n_in, n_out):
        super().__init__()
        self.w, self.b = nn.Parameter(torch.randn(k, n_in, n_out) / n_in ** 0.5), nn.Parameter(torch.zeros(k, 1, n_out))  #! torch.zeros(k, 1, n_out) => torch.zeros(k, n_out)

    def forward(self, x):
        return torch.baddbmm(self.b, x, self.w)


class Critics(nn.Module):
    def __init__(self, k, obs, act, hidden=32):
        super().__init__()
        self.k = k
        self.net = nn.Sequential(EnsembleLinear(k, obs + act, hidden), nn.ReLU(), EnsembleLinear(k, hidden, 1))  #! EnsembleLinear(k, obs + act, hidden) => EnsembleLinear(k, obs, hidden)

    def forward(self, o, a):
        x = torch.cat([o, a], -1).expand(self.k, -1, -1)
        return self.net(x).squeeze(-1)


class Actor(nn.Module):
    def __init__(self, obs, act, limit, hidden=(32, 32)):
        super().__init__()
        self.trunk = mlp([obs, *hidden], last=nn.ReLU)
        self.mu, self.log_std = nn.Linear(hidden[-1], act), nn.Linear(hidden[-1], act)
        self.limit = limit

    def dist(self, o):
        h = self.trunk(o)
        base = Normal(self.mu(h), self.log_std(h).clamp(-20, 2).exp())
        return Independent(TransformedDistribution(base, [TanhTransform(cache_size=1)]), 1)

    def forward(self, o):
        d = self.dist(o)
        a = d.rsample()
        return a * self.limit, d.log_prob(a)


env = Pendulum()
actor, critics = Actor(3, 1, 2.0), Critics(2, 3, 1)  #! Actor(3, 1, 2.0) => Actor(4, 1, 2.0)
target = deepcopy(critics).requires_grad_(False)
log_alpha = torch.zeros(1, requires_grad=True)
opt_a, opt_c, opt_t = (torch.optim.Adam(p, 3e-4) for p in (actor.parameters(), critics.parameters(), [log_alpha]))
ring, o = Ring(200, 3, 1), env.reset()
for step in range(40):
    with torch.no_grad():
        a = actor(torch.as_tensor(o)[None])[0][0].numpy()
    o2, r, d = env.step(a)
    ring.add(o, a, r, o2, d)
    o = o2
    if step < 30:
        continue
    b = ring.sample(16)
    with torch.no_grad():
        a2, logp2 = actor(b["nxt"])
        q2 = target(b["nxt"], a2).min(0).values  #! .min(0).values => .min(0)
        y = b["rew"] + 0.99 * (1 - b["done"]) * (q2 - log_alpha.exp() * logp2)
    q = critics(b["obs"], b["act"])
    c_loss = F.mse_loss(q, y.expand_as(q))  #! y.expand_as(q) => y.unsqueeze(1).expand_as(q)
    opt_c.zero_grad()
    c_loss.backward()
    opt_c.step()
    pi, logp = actor(b["obs"])
    a_loss = (log_alpha.exp().detach() * logp - critics(b["obs"], pi).amin(0)).mean()
    opt_a.zero_grad()
    a_loss.backward()
    opt_a.step()
    t_loss = -(log_alpha * (logp.detach() - 1)).mean()
    opt_t.zero_grad()
    t_loss.backward()
    opt_t.step()
    for p, t in zip(critics.parameters(), target.parameters()):
        t.data.mul_(0.995).add_(0.005 * p.data)
reveal_type(q)
reveal_type(y)
reveal_type(pi)
reveal_type(logp)
plan = torch.randn(7, 12, 1)
obs = torch.randn(7, 3)
model = mlp([4, 32, 3])  #! [4, 32, 3] => [3, 32, 3]
path = []
for t in range(plan.size(1)):
    obs = obs + model(torch.cat([obs, plan[:, t]], -1))
    path.append(obs)
path = torch.stack(path, 1)
reveal_type(path)
elite = plan[path.pow(2).sum((1, 2)).topk(3, largest=False).indices]
reveal_type(elite.mean(0))

"""Offline RL: trajectories of random length, a return-weighted sampler, padded windows of context, critics as an ensemble with vmap-like einsum layers."""
import collections
import random

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

OBS, ACT, CONTEXT, HORIZON = 8, 3, 10, 40
Batch = collections.namedtuple("Batch", "s a r rtg t mask")


def rollout(rng):
    n = rng.randint(15, HORIZON)
    return {"observations": np.random.randn(n, OBS).astype(np.float32),
            "actions": np.random.uniform(-1, 1, (n, ACT)).astype(np.float32),
            "rewards": np.random.rand(n).astype(np.float32)}


def discount_cumsum(x, gamma):
    out = np.zeros_like(x)
    out[-1] = x[-1]
    for t in reversed(range(x.shape[0] - 1)):
        out[t] = x[t] + gamma * out[t + 1]
    return out


class Sampler:
    def __init__(self, paths):
        self.paths = paths
        lengths = np.array([len(p["rewards"]) for p in paths])
        self.p = lengths / lengths.sum()
        states = np.concatenate([p["observations"] for p in paths], axis=0)  #! axis=0 => axis=1
        self.mean, self.std = states.mean(0), states.std(0) + 1e-6  #! states.mean(0), => states.mean(1),

    def get_batch(self, size, k=CONTEXT):
        picks = np.random.choice(len(self.paths), size=size, replace=True, p=self.p)
        s, a, r, g, t, m = [], [], [], [], [], []
        for i in picks:
            path = self.paths[int(i)]
            n = path["rewards"].shape[0]
            begin = random.randint(0, n - 1)
            obs = path["observations"][begin:begin + k].reshape(1, -1, OBS)
            length = obs.shape[1]
            obs = (obs - self.mean) / self.std
            s.append(np.concatenate([np.zeros((1, k - length, OBS)), obs], axis=1))  #! k - length, OBS => k, OBS
            act = path["actions"][begin:begin + k].reshape(1, -1, ACT)
            a.append(np.concatenate([np.ones((1, k - length, ACT)) * -10.0, act], axis=1))
            rew = path["rewards"][begin:begin + k].reshape(1, -1, 1)
            r.append(np.concatenate([np.zeros((1, k - length, 1)), rew], axis=1))
            rtg = discount_cumsum(path["rewards"][begin:], 1.0)[:k].reshape(1, -1, 1)
            g.append(np.concatenate([np.zeros((1, k - length, 1)), rtg], axis=1))
            t.append(np.concatenate([np.zeros((1, k - length)), np.arange(begin, begin + length).reshape(1, -1)], axis=1))
            m.append(np.concatenate([np.zeros((1, k - length)), np.ones((1, length))], axis=1))
        f = lambda xs: torch.from_numpy(np.concatenate(xs, axis=0)).float()
        return Batch(f(s), f(a), f(r), f(g), f(t).long().clamp(max=HORIZON - 1), f(m))


class DecisionTransformer(nn.Module):
    def __init__(self, dim=32):
        super().__init__()
        self.time = nn.Embedding(HORIZON, dim)
        self.state, self.action, self.ret = nn.Linear(OBS, dim), nn.Linear(ACT, dim), nn.Linear(1, dim)  #! nn.Linear(ACT, dim) => nn.Linear(OBS, dim)
        layer = nn.TransformerEncoderLayer(dim, 4, 64, batch_first=True, dropout=0.0)
        self.body = nn.TransformerEncoder(layer, 2)
        self.norm = nn.LayerNorm(dim)
        self.predict = nn.Sequential(nn.Linear(dim, ACT), nn.Tanh())

    def forward(self, s, a, g, t, mask):
        b, k = s.shape[:2]
        time = self.time(t)
        tokens = torch.stack([self.ret(g) + time, self.state(s) + time, self.action(a) + time], dim=2)  #! dim=2 => dim=3
        x = self.norm(tokens.reshape(b, 3 * k, -1))
        pad = mask.repeat_interleave(3, dim=1) == 0  #! repeat_interleave(3, dim=1) => repeat_interleave(2, dim=1)
        causal = torch.ones(3 * k, 3 * k).triu(1).bool()  #! torch.ones(3 * k, 3 * k) => torch.ones(k, k)
        causal = causal[None] | (pad[:, None, :] & ~torch.eye(3 * k).bool())
        x = self.body(x, mask=causal.repeat_interleave(4, dim=0))  #! .repeat_interleave(4, dim=0) => .repeat_interleave(2, dim=0)
        x = x.reshape(b, k, 3, -1).permute(0, 2, 1, 3)
        return self.predict(x[:, 1])


class EnsembleLinear(nn.Module):
    def __init__(self, n, i, o):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n, i, o) / i ** 0.5)
        self.bias = nn.Parameter(torch.zeros(n, 1, o))  #! torch.zeros(n, 1, o) => torch.zeros(n, o)

    def forward(self, x):
        return torch.einsum("nbi,nio->nbo", x, self.weight) + self.bias  #! "nbi,nio->nbo" => "nbi,noi->nbo"


class Critics(nn.Module):
    def __init__(self, n=5, hidden=32):
        super().__init__()
        self.n = n
        sizes = [OBS + ACT, hidden, hidden, 1]
        self.layers = nn.ModuleList(EnsembleLinear(n, i, o) for i, o in zip(sizes, sizes[1:]))

    def forward(self, s, a):
        x = torch.cat([s, a], -1).expand(self.n, -1, -1)
        for layer in self.layers[:-1]:
            x = F.relu(layer(x))
        return self.layers[-1](x).squeeze(-1)


def main():
    rng = random.Random(0)
    sampler = Sampler([rollout(rng) for _ in range(12)])
    model, critics = DecisionTransformer(), Critics()
    opt = torch.optim.AdamW([*model.parameters(), *critics.parameters()], lr=1e-3)
    for _ in range(3):
        batch = sampler.get_batch(6)
        pred = model(batch.s, batch.a, batch.rtg, batch.t, batch.mask)
        keep = batch.mask.reshape(-1) > 0
        flat, target = pred.reshape(-1, ACT)[keep], batch.a.reshape(-1, ACT)[keep]
        q = critics(batch.s.reshape(-1, OBS), pred.reshape(-1, ACT))
        td = F.mse_loss(q, batch.r.reshape(1, -1).expand_as(q))  #! batch.r.reshape(1, -1) => batch.r.reshape(-1, 1)
        weight = q.min(0).values[keep].sigmoid().detach()
        loss = (weight[:, None] * (flat - target) ** 2).mean() - 0.01 * q.min(0).values.mean() + td  #! weight[:, None] => weight
        opt.zero_grad()
        loss.backward()
        opt.step()
    reveal_type(pred)
    reveal_type(q)
    reveal_type(batch.s)
    reveal_type(batch.mask)


if __name__ == "__main__":
    main()

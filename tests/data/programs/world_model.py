"""A world model: recurrent state space with discrete latents, sequences from a buffer of episodes, imagination by the actor."""
import collections
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.distributions as td

State = collections.namedtuple("State", "deter stoch logits")


@dataclass
class Settings:
    deter: int = 40
    groups: int = 6
    classes: int = 5
    embed: int = 48
    actions: int = 3
    image: tuple = (3, 32, 32)
    horizon: int = 7
    batch: int = 4
    length: int = 10
    layers: list = field(default_factory=lambda: [32, 32])

    @property
    def stoch(self):
        return self.groups * self.classes


def mlp(inp, layers, out, act=nn.ELU):
    sizes = [inp, *layers]
    net = []
    for a, b in zip(sizes, sizes[1:]):
        net += [nn.Linear(a, b), act()]
    return nn.Sequential(*net, nn.Linear(sizes[-1], out))


def bottle(fn, *xs):
    """Applies a function to tensors with two leading dimensions."""
    lead = xs[0].shape[:2]
    out = fn(*(x.flatten(0, 1) for x in xs))
    return out.unflatten(0, lead)


class Encoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        depth = 8
        self.conv = nn.Sequential(nn.Conv2d(cfg.image[0], depth, 4, 2), nn.ELU(), nn.Conv2d(depth, 2 * depth, 4, 2), nn.ELU(), nn.Flatten())
        with torch.no_grad():
            size = self.conv(torch.zeros(1, *cfg.image)).shape[1]
        self.out = nn.Linear(size, cfg.embed)  #! nn.Linear(size, => nn.Linear(size // 2,

    def forward(self, x):
        return self.out(self.conv(x))


class RSSM(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        self.inp = nn.Linear(cfg.stoch + cfg.actions, cfg.deter)
        self.cell = nn.GRUCell(cfg.deter, cfg.deter)
        self.prior = mlp(cfg.deter, cfg.layers, cfg.stoch)
        self.post = mlp(cfg.deter + cfg.embed, cfg.layers, cfg.stoch)  #! cfg.deter + cfg.embed => cfg.embed

    def initial(self, batch):
        c = self.cfg
        return State(torch.zeros(batch, c.deter), torch.zeros(batch, c.stoch), torch.zeros(batch, c.groups, c.classes))

    def dist(self, logits):
        return td.Independent(td.OneHotCategoricalStraightThrough(logits=logits), 1)

    def latent(self, stats):
        logits = stats.view(*stats.shape[:-1], self.cfg.groups, self.cfg.classes)
        return self.dist(logits).rsample().flatten(-2), logits

    def img_step(self, state, action):
        x = F.elu(self.inp(torch.cat([state.stoch, action], -1)))
        deter = self.cell(x, state.deter)
        return State(deter, *self.latent(self.prior(deter)))

    def obs_step(self, state, action, embed):
        prior = self.img_step(state, action)
        stoch, logits = self.latent(self.post(torch.cat([prior.deter, embed], -1)))
        return State(prior.deter, stoch, logits), prior

    def observe(self, embed, action):
        state, posts, priors = self.initial(action.size(0)), [], []
        for t in range(action.size(1)):
            post, prior = self.obs_step(state, action[:, t], embed[:, t])  #! action[:, t], embed[:, t] => action[:, t], embed[t]
            posts.append(post), priors.append(prior)
            state = post
        stack = lambda states: State(*(torch.stack(x, 1) for x in zip(*states)))
        return stack(posts), stack(priors)

    def feat(self, state):
        return torch.cat([state.stoch, state.deter], -1)


class Buffer:
    def __init__(self, capacity=20):
        self.episodes = collections.deque(maxlen=capacity)

    def add(self, **episode):
        assert len({len(v) for v in episode.values()}) == 1
        self.episodes.append(episode)

    def sample(self, batch, length, rng):
        chunks = []
        for _ in range(batch):
            ep = self.episodes[rng.integers(len(self.episodes))]
            start = rng.integers(0, len(ep["reward"]) - length + 1)
            chunks.append({k: v[start : start + length] for k, v in ep.items()})
        return {k: torch.as_tensor(np.stack([c[k] for c in chunks])) for k in chunks[0]}


class Agent(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg = cfg
        feat = cfg.deter + cfg.stoch
        self.encoder, self.rssm = Encoder(cfg), RSSM(cfg)
        self.heads = nn.ModuleDict({"reward": mlp(feat, cfg.layers, 1), "discount": mlp(feat, cfg.layers, 1), "image": mlp(feat, [64], int(np.prod(cfg.image)))})
        self.actor, self.critic = mlp(feat, cfg.layers, cfg.actions), mlp(feat, cfg.layers, 1)

    def model_loss(self, data):
        embed = bottle(self.encoder, data["image"])
        post, prior = self.rssm.observe(embed, data["action"])
        feat = self.rssm.feat(post)
        image = self.heads["image"](feat).reshape(data["image"].shape)
        reward = td.Normal(self.heads["reward"](feat).squeeze(-1), 1.0)
        loss = F.mse_loss(image, data["image"]) - reward.log_prob(data["reward"]).mean()  #! data["reward"]) => data["reward"][0, 1:])
        kl = td.kl_divergence(self.rssm.dist(post.logits.detach()), self.rssm.dist(prior.logits))
        reveal_type(kl)
        return loss + kl.mean().clamp(min=1.0), post

    def imagine(self, post):
        state = State(*(x.detach().flatten(0, 1) for x in post))
        feats, actions = [], []
        for _ in range(self.cfg.horizon):
            feat = self.rssm.feat(state)
            action = td.OneHotCategoricalStraightThrough(logits=self.actor(feat)).rsample()
            state = self.rssm.img_step(state, action)
            feats.append(feat), actions.append(action)
        return torch.stack(feats), torch.stack(actions)

    def actor_loss(self, feats, lam=0.95):
        reward = self.heads["reward"](feats).squeeze(-1)
        discount = torch.sigmoid(self.heads["discount"](feats)).squeeze(-1)
        value = self.critic(feats).squeeze(-1)
        returns, last = [], value[-1]
        for t in reversed(range(len(reward) - 1)):
            last = reward[t] + discount[t] * ((1 - lam) * value[t + 1] + lam * last)
            returns.insert(0, last)
        returns = torch.stack(returns)
        weights = torch.cumprod(torch.cat([torch.ones_like(discount[:1]), discount[:-2]], 0), 0)
        reveal_type(returns)
        return -(weights * returns).mean() + F.mse_loss(value[:-1], returns.detach())  #! value[:-1], returns => value, returns


if __name__ == "__main__":
    cfg, rng = Settings(), np.random.default_rng(0)
    buffer, agent = Buffer(), Agent(cfg)
    for i in range(3):
        T = 20 + i
        buffer.add(image=rng.random((T, *cfg.image), dtype=np.float32), action=np.eye(cfg.actions, dtype=np.float32)[rng.integers(0, cfg.actions, T)], reward=np.zeros(T, np.float32))
    data = buffer.sample(cfg.batch, cfg.length, rng)
    reveal_type(data["action"])
    loss, post = agent.model_loss(data)
    loss.backward()
    feats, actions = agent.imagine(post)
    reveal_type(feats)
    agent.actor_loss(feats).backward()
    reveal_type(agent.rssm.feat(post))

"""Categorical DQN with prioritised n-step replay in NumPy, noisy dueling networks, a toy environment."""
import collections
import random
import typing as t
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

GAMMA, N_STEP = 0.97, 3
V_MIN, V_MAX, ATOMS = -5.0, 5.0, 21


class Corridor:
    """A tiny environment with the interface that people use."""

    def __init__(self, size=6):
        self.size = size
        self.observation_dim = 2 * size
        self.n_actions = 3

    def _obs(self):
        obs = np.zeros(self.observation_dim, dtype=np.float32)
        obs[self.pos] = 1.0
        obs[self.size + self.goal] = 1.0
        return obs

    def reset(self, seed=None):
        self.pos, self.goal, self.t = 0, self.size - 1, 0
        return self._obs(), {}

    def step(self, action):
        self.pos = int(np.clip(self.pos + action - 1, 0, self.size - 1))
        self.t += 1
        return self._obs(), float(self.pos == self.goal), self.pos == self.goal, self.t >= 20, {}


class SumTree:
    def __init__(self, capacity):
        self.capacity = capacity
        self.tree = np.zeros(2 * capacity - 1)

    def update(self, idx, p):
        i = idx + self.capacity - 1
        change = p - self.tree[i]
        while True:
            self.tree[i] += change
            if i == 0:
                break
            i = (i - 1) // 2

    @property
    def leaves(self):
        return self.tree[self.capacity - 1:]


class PrioritizedReplay:
    def __init__(self, capacity, obs_dim, alpha=0.6, beta=0.4):
        self.obs = np.zeros((capacity, obs_dim), dtype=np.float32)
        self.next_obs = np.zeros((capacity, obs_dim), dtype=np.float32)  #! (capacity, obs_dim) => (capacity, obs_dim + 1)
        self.acts = np.zeros(capacity, dtype=np.int64)
        self.rews = np.zeros(capacity, dtype=np.float32)
        self.done = np.zeros(capacity, dtype=np.float32)
        self.capacity, self.size, self.ptr = capacity, 0, 0
        self.tree, self.alpha, self.beta, self.max_priority = SumTree(capacity), alpha, beta, 1.0
        self.n_step_buffer = collections.deque(maxlen=N_STEP)

    def store(self, obs, act, rew, next_obs, done):
        self.n_step_buffer.append((obs, act, rew, next_obs, done))
        if len(self.n_step_buffer) < N_STEP:
            return
        ret, nxt, d = 0.0, next_obs, done
        for o, a, r, n, dd in reversed(self.n_step_buffer):
            ret = r + GAMMA * ret * (1 - dd)
            nxt, d = (n, dd) if dd else (nxt, d)
        o, a = self.n_step_buffer[0][:2]
        self.obs[self.ptr], self.next_obs[self.ptr] = o, nxt
        self.acts[self.ptr], self.rews[self.ptr], self.done[self.ptr] = a, ret, d
        self.tree.update(self.ptr, self.max_priority ** self.alpha)
        self.ptr = (self.ptr + 1) % self.capacity
        self.size = min(self.size + 1, self.capacity)

    def sample_batch(self, batch_size=16) -> t.Dict[str, torch.Tensor]:
        p = self.tree.leaves[:self.size] / self.tree.leaves[:self.size].sum()
        idxs = np.random.choice(self.size, size=batch_size, p=p)
        weights = (self.size * p[idxs]) ** (-self.beta)
        weights /= weights.max()
        pick = dict(obs=self.obs[idxs], next_obs=self.next_obs[idxs], acts=self.acts[idxs], rews=self.rews[idxs], done=self.done[idxs], weights=weights.astype(np.float32))
        return {k: torch.as_tensor(v) for k, v in pick.items()} | {"idx": idxs}

    def update_priorities(self, idxs, prios):
        for i, p in zip(idxs, prios):
            self.tree.update(i, float(p) ** self.alpha)
            self.max_priority = max(self.max_priority, float(p))


class NoisyLinear(nn.Module):
    def __init__(self, i, o, std=0.5):
        super().__init__()
        self.i, self.o = i, o
        self.weight_mu, self.weight_sigma = nn.Parameter(torch.empty(o, i)), nn.Parameter(torch.empty(o, i))
        self.register_buffer("weight_eps", torch.empty(o, i))
        self.bias_mu, self.bias_sigma = nn.Parameter(torch.empty(o)), nn.Parameter(torch.empty(o))
        self.register_buffer("bias_eps", torch.empty(o))
        for p in (self.weight_mu, self.bias_mu):
            p.data.uniform_(-1 / i ** 0.5, 1 / i ** 0.5)
        self.weight_sigma.data.fill_(std / i ** 0.5)
        self.bias_sigma.data.fill_(std / o ** 0.5)
        self.reset_noise()

    @staticmethod
    def scale(n):
        x = torch.randn(n)
        return x.sign().mul(x.abs().sqrt())

    def reset_noise(self):
        ei, eo = self.scale(self.i), self.scale(self.o)
        self.weight_eps.copy_(eo.outer(ei))  #! eo.outer(ei) => ei.outer(eo)
        self.bias_eps.copy_(eo)

    def forward(self, x):
        return F.linear(x, self.weight_mu + self.weight_sigma * self.weight_eps, self.bias_mu + self.bias_sigma * self.bias_eps)


class Dueling(nn.Module):
    def __init__(self, obs_dim, n_actions, support):
        super().__init__()
        self.register_buffer("support", support)
        self.n_actions, self.atoms = n_actions, support.numel()
        self.body = nn.Sequential(nn.Linear(obs_dim, 64), nn.ReLU())
        self.adv = nn.Sequential(NoisyLinear(64, 32), nn.ReLU(), NoisyLinear(32, n_actions * self.atoms))  #! NoisyLinear(32, n_actions * self.atoms) => NoisyLinear(32, n_actions)
        self.val = nn.Sequential(NoisyLinear(64, 32), nn.ReLU(), NoisyLinear(32, self.atoms))  #! NoisyLinear(64, 32) => NoisyLinear(32, 64)

    def dist(self, x):
        h = self.body(x)
        adv = self.adv(h).view(-1, self.n_actions, self.atoms)
        val = self.val(h).view(-1, 1, self.atoms)
        q = val + adv - adv.mean(dim=1, keepdim=True)  #! keepdim=True => keepdim=False
        return q.softmax(dim=-1).clamp(min=1e-3)

    def forward(self, x):
        return (self.dist(x) * self.support).sum(dim=2)

    def reset_noise(self):
        for m in self.modules():
            if isinstance(m, NoisyLinear):
                m.reset_noise()


class Agent:
    def __init__(self, env, batch_size=16):
        self.env = env
        self.support = torch.linspace(V_MIN, V_MAX, ATOMS)
        self.net = Dueling(env.observation_dim, env.n_actions, self.support)  #! env.observation_dim, env.n_actions => env.n_actions, env.observation_dim
        self.target = Dueling(env.observation_dim, env.n_actions, self.support)
        self.target.load_state_dict(self.net.state_dict())
        self.memory = PrioritizedReplay(200, env.observation_dim)
        self.opt = torch.optim.Adam(self.net.parameters(), eps=1.5e-4)
        self.batch_size = batch_size

    def act(self, obs):
        return self.net(torch.from_numpy(obs).unsqueeze(0)).argmax(dim=1).item()  #! .unsqueeze(0)) => .unsqueeze(0).T)

    def loss(self, s):
        dz = (V_MAX - V_MIN) / (ATOMS - 1)
        with torch.no_grad():
            nxt = self.net(s["next_obs"]).argmax(1)
            nd = self.target.dist(s["next_obs"])[range(self.batch_size), nxt]
            reward, done = s["rews"].reshape(-1, 1), s["done"].reshape(-1, 1)  #! s["rews"].reshape(-1, 1) => s["rews"]
            tz = (reward + (1 - done) * GAMMA ** N_STEP * self.support).clamp(V_MIN, V_MAX)
            b = (tz - V_MIN) / dz
            l, u = b.floor().long(), b.ceil().long()
            offset = torch.linspace(0, (self.batch_size - 1) * ATOMS, self.batch_size).long().unsqueeze(1).expand(self.batch_size, ATOMS)
            proj = torch.zeros_like(nd)
            proj.view(-1).index_add_(0, (l + offset).view(-1), (nd * (u.float() - b)).view(-1))
            proj.view(-1).index_add_(0, (u + offset).view(-1), (nd * (b - l.float())).view(-1))
        log_p = self.net.dist(s["obs"])[torch.arange(self.batch_size), s["acts"]].log()
        reveal_type(log_p)
        return -(proj * log_p).sum(1)

    def update(self):
        s = self.memory.sample_batch(self.batch_size)
        elementwise = self.loss(s)
        loss = (elementwise * s["weights"]).mean()  #! s["weights"] => s["weights"][:, None] * self.support
        self.opt.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.net.parameters(), 10.0)
        self.opt.step()
        self.memory.update_priorities(s["idx"], elementwise.detach().numpy() + 1e-6)
        self.net.reset_noise(); self.target.reset_noise()
        return loss.item()

    def train(self, frames):
        obs, _ = self.env.reset()
        for frame in range(frames):
            action = self.act(obs)
            nxt, reward, terminated, truncated, _ = self.env.step(action)
            self.memory.store(obs, action, reward, nxt, float(terminated))
            obs = self.env.reset()[0] if terminated or truncated else nxt
            if self.memory.size >= self.batch_size:
                self.update()
            if frame % 50 == 0:
                for p, q in zip(self.target.parameters(), self.net.parameters()):
                    p.data.copy_(q.data)


random.seed(1), np.random.seed(1), torch.manual_seed(1)
agent = Agent(Corridor())
agent.train(60)
batch = agent.memory.sample_batch()
reveal_type(batch["obs"])
reveal_type(agent.net(batch["obs"]))

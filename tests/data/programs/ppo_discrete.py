"""PPO on a hand-made grid world with vectorised environments, GAE, minibatches and an actor-critic with shared trunk."""
import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical


class Grid:
    def __init__(self, size=5, seed=0):
        self.size, self.rng = size, np.random.default_rng(seed)
        self.reset()

    def obs(self):
        o = np.zeros((2, self.size, self.size), dtype=np.float32)
        o[0, self.pos[0], self.pos[1]] = 1
        o[1, self.goal[0], self.goal[1]] = 1
        return o

    def reset(self):
        self.pos = self.rng.integers(0, self.size, 2)
        self.goal = self.rng.integers(0, self.size, 2)
        self.t = 0
        return self.obs()

    def step(self, action):
        move = np.array([[0, 1], [0, -1], [1, 0], [-1, 0]])[action]
        self.pos = np.clip(self.pos + move, 0, self.size - 1)
        self.t += 1
        done = bool((self.pos == self.goal).all()) or self.t >= 20
        reward = 1.0 if (self.pos == self.goal).all() else -0.05
        if done:
            return self.reset(), reward, done
        return self.obs(), reward, done


class VecEnv:
    def __init__(self, n):
        self.envs = [Grid(seed=i) for i in range(n)]

    def reset(self):
        return np.stack([e.reset() for e in self.envs])  #! np.stack => np.concatenate

    def step(self, actions):
        o, r, d = zip(*[e.step(a) for e, a in zip(self.envs, actions)])
        return np.stack(o), np.array(r, dtype=np.float32), np.array(d, dtype=np.float32)


def layer(m, std=2 ** 0.5):
    nn.init.orthogonal_(m.weight, std)
    nn.init.zeros_(m.bias)
    return m


class Agent(nn.Module):
    def __init__(self, obs_shape, n_actions):
        super().__init__()
        c, h, w = obs_shape
        self.trunk = nn.Sequential(layer(nn.Conv2d(c, 16, 3)), nn.Tanh(), nn.Flatten(), layer(nn.Linear(16 * (h - 2) * (w - 2), 64)), nn.Tanh())  #! (h - 2) * (w - 2) => h * w
        self.pi = layer(nn.Linear(64, n_actions), 0.01)
        self.v = layer(nn.Linear(64, 1), 1.0)

    def value(self, x):
        return self.v(self.trunk(x)).squeeze(-1)

    def forward(self, x, action=None):
        z = self.trunk(x)
        dist = Categorical(logits=self.pi(z))
        if action is None:
            action = dist.sample()
        return action, dist.log_prob(action), dist.entropy(), self.v(z).squeeze(-1)  #! self.v(z).squeeze(-1) => self.v(z)


N, T, EPOCHS, MB = 4, 16, 2, 4
envs = VecEnv(N)
agent = Agent((2, 5, 5), 4)  #! (2, 5, 5) => (5, 5, 2)
opt = torch.optim.Adam(agent.parameters(), lr=3e-4, eps=1e-5)
obs = torch.zeros(T, N, 2, 5, 5)
actions = torch.zeros(T, N, dtype=torch.long)
logps, rewards, dones, values = (torch.zeros(T, N) for _ in range(4))  #! torch.zeros(T, N) => torch.zeros(T, N, 1)
next_obs = torch.from_numpy(envs.reset())
next_done = torch.zeros(N)
for update in range(2):
    for t in range(T):
        obs[t], dones[t] = next_obs, next_done
        with torch.no_grad():
            a, lp, _, v = agent(next_obs)
        actions[t], logps[t], values[t] = a, lp, v
        o, r, d = envs.step(a.numpy())
        next_obs, rewards[t], next_done = torch.from_numpy(o), torch.from_numpy(r), torch.from_numpy(d)
    with torch.no_grad():
        next_value = agent.value(next_obs)
        adv, last = torch.zeros_like(rewards), 0.0
        for t in reversed(range(T)):
            nonterminal = 1.0 - (next_done if t == T - 1 else dones[t + 1])
            nv = next_value if t == T - 1 else values[t + 1]
            delta = rewards[t] + 0.99 * nv * nonterminal - values[t]
            adv[t] = last = delta + 0.99 * 0.95 * nonterminal * last
        returns = adv + values
    b_obs, b_act = obs.flatten(0, 1), actions.flatten()  #! obs.flatten(0, 1) => obs.flatten(1, 2)
    b_logp, b_adv, b_ret = logps.reshape(-1), adv.reshape(-1), returns.reshape(-1)
    idx = np.arange(N * T)
    for _ in range(EPOCHS):
        np.random.shuffle(idx)
        for mb in np.split(idx, MB):  #! MB => 5
            _, lp, ent, v = agent(b_obs[mb], b_act[mb])
            ratio = (lp - b_logp[mb]).exp()  #! b_logp[mb] => b_logp
            a = b_adv[mb]
            a = (a - a.mean()) / (a.std() + 1e-8)
            pg = torch.max(-a * ratio, -a * ratio.clamp(0.8, 1.2)).mean()
            loss = pg + 0.5 * ((v - b_ret[mb]) ** 2).mean() - 0.01 * ent.mean()
            opt.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            opt.step()
    reveal_type(ratio)
reveal_type(next_obs)
reveal_type(returns)
reveal_type(b_obs)
ev = 1 - (b_ret - values.flatten()).var() / b_ret.var()  #! values.flatten() => values
print(float(ev))

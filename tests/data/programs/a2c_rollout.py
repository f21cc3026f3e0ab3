"""A2C with a rollout buffer of NumPy arrays, generalized advantages, and an environment of its own."""
from collections import deque, namedtuple

import numpy as np
import torch
import torch.nn as nn
from torch.distributions import Categorical

Sample = namedtuple("Sample", "obs actions values log_probs advantages returns")


class GridWorld:
    """An agent on a grid; the observation is a stack of two planes."""

    def __init__(self, size=7):
        self.size = size
        self.observation_shape = (2, size, size)
        self.n_actions = 4

    def reset(self):
        self.at, self.goal, self.t = np.array([0, 0]), np.array([self.size - 1, self.size - 1]), 0
        return self._obs()

    def _obs(self):
        planes = np.zeros(self.observation_shape, dtype=np.float32)
        planes[0, self.at[0], self.at[1]] = 1.0
        planes[1, self.goal[0], self.goal[1]] = 1.0
        return planes

    def step(self, action):
        moves = np.array([[0, 1], [1, 0], [0, -1], [-1, 0]])
        self.at = np.clip(self.at + moves[action], 0, self.size - 1)
        self.t += 1
        done = bool((self.at == self.goal).all()) or self.t >= 30
        return self._obs(), 1.0 if (self.at == self.goal).all() else -0.01, done, {}


class VecEnv:
    def __init__(self, fns):
        self.envs = [fn() for fn in fns]
        self.num_envs = len(self.envs)

    def reset(self):
        return np.stack([e.reset() for e in self.envs])

    def step(self, actions):
        results = []
        for env, a in zip(self.envs, actions):
            obs, r, d, info = env.step(a)
            if d:
                obs = env.reset()
            results.append((obs, r, d))
        obs, rewards, dones = zip(*results)
        return np.stack(obs), np.array(rewards, dtype=np.float32), np.array(dones)


class RolloutBuffer:
    def __init__(self, n_steps, n_envs, obs_shape, gamma=0.99, lam=0.95):
        self.n_steps, self.n_envs, self.obs_shape = n_steps, n_envs, obs_shape
        self.gamma, self.lam = gamma, lam
        self.reset()

    def reset(self):
        self.obs = np.zeros((self.n_steps, self.n_envs, *self.obs_shape), dtype=np.float32)
        self.actions = np.zeros((self.n_steps, self.n_envs), dtype=np.int64)
        self.rewards, self.values, self.dones, self.log_probs = (np.zeros((self.n_steps, self.n_envs), dtype=np.float32) for _ in range(4))
        self.advantages = np.zeros_like(self.rewards)
        self.pos = 0

    def add(self, obs, action, reward, done, value, log_prob):
        self.obs[self.pos] = obs
        self.actions[self.pos] = action
        self.rewards[self.pos] = reward
        self.dones[self.pos] = done
        self.values[self.pos] = value.cpu().numpy().flatten()
        self.log_probs[self.pos] = log_prob.cpu().numpy()
        self.pos += 1

    def finish(self, last_value):
        last = 0
        last_value = last_value.numpy().flatten()
        for step in reversed(range(self.n_steps)):
            following = last_value if step == self.n_steps - 1 else self.values[step + 1]
            alive = 1.0 - self.dones[step]
            delta = self.rewards[step] + self.gamma * following * alive - self.values[step]
            last = delta + self.gamma * self.lam * alive * last
            self.advantages[step] = last
        self.returns = self.advantages + self.values

    @staticmethod
    def swap_and_flatten(arr):
        shape = arr.shape
        if len(shape) < 3:
            shape = (*shape, 1)
        return arr.swapaxes(0, 1).reshape(shape[0] * shape[1], *shape[2:])  #! *shape[2:] => *shape[1:]

    def batches(self, batch_size):
        total = self.n_steps * self.n_envs
        flat = {k: self.swap_and_flatten(getattr(self, k)) for k in ("obs", "actions", "values", "log_probs", "advantages", "returns")}
        indices = np.random.permutation(total)
        start = 0
        while start < total:
            part = indices[start : start + batch_size]
            yield Sample(*(torch.as_tensor(flat[k][part]) for k in Sample._fields))
            start += batch_size


class ActorCritic(nn.Module):
    def __init__(self, obs_shape, n_actions):
        super().__init__()
        c, h, w = obs_shape
        self.cnn = nn.Sequential(nn.Conv2d(c, 8, 3, stride=1), nn.ReLU(), nn.Conv2d(8, 16, 3), nn.ReLU(), nn.Flatten())
        with torch.no_grad():
            n_flatten = self.cnn(torch.zeros(1, c, h, w)).shape[1]
        self.fc = nn.Sequential(nn.Linear(n_flatten, 64), nn.Tanh())
        self.pi, self.v = nn.Linear(64, n_actions), nn.Linear(64, 1)

    def forward(self, obs):
        z = self.fc(self.cnn(obs))
        return Categorical(logits=self.pi(z)), self.v(z)

    def act(self, obs):
        dist, value = self(obs)
        action = dist.sample()
        return action, value, dist.log_prob(action)


def train(updates=2, n_steps=5, n_envs=3):
    envs = VecEnv([GridWorld for _ in range(n_envs)])
    shape = envs.envs[0].observation_shape
    model = ActorCritic(shape, envs.envs[0].n_actions)
    buffer = RolloutBuffer(n_steps, n_envs, shape)
    optimizer = torch.optim.RMSprop(model.parameters(), lr=7e-4)
    obs, recent = envs.reset(), deque(maxlen=10)
    for _ in range(updates):
        buffer.reset()
        for _ in range(n_steps):
            with torch.no_grad():
                action, value, log_prob = model.act(torch.from_numpy(obs))
            following, reward, done = envs.step(action.numpy())
            buffer.add(obs, action.numpy(), reward, done, value, log_prob)
            obs = following
            recent.append(reward.mean())
        with torch.no_grad():
            last_value = model(torch.as_tensor(obs))[1]
        reveal_type(last_value)
        buffer.finish(last_value)
        for batch in buffer.batches(batch_size=10):
            dist, value = model(batch.obs)
            log_prob = dist.log_prob(batch.actions.flatten())  #! batch.actions.flatten() => batch.actions
            adv = batch.advantages.flatten()
            policy_loss = -(adv * log_prob).mean()
            value_loss = nn.functional.mse_loss(value, batch.returns.view(-1, 1))
            loss = policy_loss + 0.5 * value_loss - 0.01 * dist.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), 0.5)
            optimizer.step()
        reveal_type(batch.obs)
    return model, buffer


model, buffer = train()
reveal_type(model.fc[0].weight)
reveal_type(buffer.obs)
reveal_type(buffer.returns)
dist, value = model(torch.zeros(1, 2, 7, 7))  #! 7, 7 => 9, 9
reveal_type(dist.probs)

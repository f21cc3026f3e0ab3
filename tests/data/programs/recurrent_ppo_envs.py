"""Proximal policy optimisation with a recurrent network over vectorised environments and a rollout buffer of NumPy."""
from typing import Generator, NamedTuple

import numpy as np
import torch as th
import torch.nn.functional as F
from torch import nn
from torch.distributions import Categorical


class Box:
    def __init__(self, low, high, shape):
        self.low, self.high, self.shape = low, high, shape


class Discrete:
    def __init__(self, n):
        self.n = n


class Corridor:
    observation_space = Box(-1.0, 1.0, (5,))
    action_space = Discrete(3)

    def __init__(self, length=8, seed=0):
        self.length, self.rng = length, np.random.default_rng(seed)

    def reset(self):
        self.at, self.t = 0, 0
        return self._observe()

    def _observe(self):
        obs = self.rng.normal(size=self.observation_space.shape).astype(np.float32)
        obs[0] = self.at / self.length
        return obs

    def step(self, action):
        self.at = int(np.clip(self.at + action - 1, 0, self.length))
        self.t += 1
        done = self.at == self.length or self.t >= 20
        return self._observe(), float(self.at == self.length), done, {}


class VecEnv:
    def __init__(self, fns):
        self.envs = [fn() for fn in fns]
        self.num_envs = len(self.envs)
        self.observation_space = self.envs[0].observation_space
        self.action_space = self.envs[0].action_space

    def reset(self):
        return np.stack([env.reset() for env in self.envs])

    def step(self, actions):
        obs, rews, dones = [], [], []
        for env, action in zip(self.envs, actions):
            o, r, d, _ = env.step(action)
            if d:
                o = env.reset()
            obs.append(o), rews.append(r), dones.append(d)
        return np.stack(obs), np.array(rews, dtype=np.float32), np.array(dones)


class Samples(NamedTuple):
    observations: th.Tensor
    actions: th.Tensor
    old_values: th.Tensor
    old_log_prob: th.Tensor
    advantages: th.Tensor
    returns: th.Tensor


class RolloutBuffer:
    def __init__(self, size, obs_shape, n_envs, gamma=0.99, gae_lambda=0.95):
        self.size, self.obs_shape, self.n_envs = size, obs_shape, n_envs
        self.gamma, self.gae_lambda = gamma, gae_lambda
        self.reset()

    def reset(self):
        self.observations = np.zeros((self.size, self.n_envs, *self.obs_shape), dtype=np.float32)
        self.actions = np.zeros((self.size, self.n_envs), dtype=np.int64)
        self.rewards, self.starts, self.values, self.log_probs, self.advantages = (np.zeros((self.size, self.n_envs), dtype=np.float32) for _ in range(5))
        self.pos = 0

    def add(self, obs, action, reward, start, value, log_prob):
        self.observations[self.pos] = np.array(obs)
        self.actions[self.pos] = np.array(action)
        self.rewards[self.pos] = np.array(reward)
        self.starts[self.pos] = np.array(start)
        self.values[self.pos] = value.clone().cpu().numpy().flatten()  #! .flatten() => 
        self.log_probs[self.pos] = log_prob.clone().cpu().numpy()
        self.pos += 1

    def compute_returns_and_advantage(self, last_values, dones):
        last_values = last_values.clone().cpu().numpy().flatten()
        last_gae_lam = 0
        for step in reversed(range(self.size)):
            if step == self.size - 1:
                next_non_terminal, next_values = 1.0 - dones, last_values
            else:
                next_non_terminal, next_values = 1.0 - self.starts[step + 1], self.values[step + 1]
            delta = self.rewards[step] + self.gamma * next_values * next_non_terminal - self.values[step]
            last_gae_lam = delta + self.gamma * self.gae_lambda * next_non_terminal * last_gae_lam
            self.advantages[step] = last_gae_lam
        self.returns = self.advantages + self.values

    @staticmethod
    def swap_and_flatten(arr):
        shape = arr.shape
        if len(shape) < 3:
            shape = (*shape, 1)
        return arr.swapaxes(0, 1).reshape(shape[0] * shape[1], *shape[2:])

    def get(self, batch_size) -> Generator[Samples, None, None]:
        indices = np.random.permutation(self.size * self.n_envs)
        flat = {name: self.swap_and_flatten(getattr(self, name)) for name in ("observations", "actions", "values", "log_probs", "advantages", "returns")}
        start = 0
        while start < self.size * self.n_envs:
            chosen = indices[start : start + batch_size]
            data = tuple(flat[name][chosen] for name in ("observations", "actions", "values", "log_probs", "advantages", "returns"))
            obs, *rest = map(th.as_tensor, data)
            yield Samples(obs, *(r.flatten() for r in rest))  #! r.flatten() => r
            start += batch_size


class Policy(nn.Module):
    def __init__(self, obs_dim, n_actions, net_arch=(32, 32)):
        super().__init__()
        layers, last = [], obs_dim
        for size in net_arch:
            layers.extend([nn.Linear(last, size), nn.Tanh()])
            last = size
        self.shared = nn.Sequential(*layers)
        self.action_net, self.value_net = nn.Linear(last, n_actions), nn.Linear(last, 1)
        gains = {self.shared: np.sqrt(2), self.action_net: 0.01, self.value_net: 1}
        for module, gain in gains.items():
            module.apply(lambda m, gain=gain: nn.init.orthogonal_(m.weight, gain=gain) if isinstance(m, nn.Linear) else None)

    def forward(self, obs, deterministic=False):
        latent = self.shared(obs)
        dist = Categorical(logits=self.action_net(latent))
        actions = dist.probs.argmax(1) if deterministic else dist.sample()
        return actions, self.value_net(latent), dist.log_prob(actions)

    def evaluate_actions(self, obs, actions):
        latent = self.shared(obs)
        dist = Categorical(logits=self.action_net(latent))
        return self.value_net(latent).flatten(), dist.log_prob(actions), dist.entropy()  #! self.value_net(latent).flatten() => self.value_net(latent)


def train(total=2, n_steps=16, n_envs=4, batch_size=24, clip=0.2):
    env = VecEnv([lambda i=i: Corridor(seed=i) for i in range(n_envs)])
    policy = Policy(env.observation_space.shape[0], env.action_space.n)  #! shape[0], env => shape[0] + 1, env
    optimizer = th.optim.Adam(policy.parameters(), lr=3e-4, eps=1e-5)
    buffer = RolloutBuffer(n_steps, env.observation_space.shape, n_envs)
    obs, starts = env.reset(), np.ones((n_envs,), dtype=bool)
    for _ in range(total):
        buffer.reset()
        for _ in range(n_steps):
            with th.no_grad():
                actions, values, log_probs = policy(th.as_tensor(obs))
            new_obs, rewards, dones = env.step(actions.cpu().numpy())
            buffer.add(obs, actions.numpy(), rewards, starts, values, log_probs)
            obs, starts = new_obs, dones
        with th.no_grad():
            _, values, _ = policy(th.as_tensor(obs))
        buffer.compute_returns_and_advantage(values, dones)
        for samples in buffer.get(batch_size):
            values, log_prob, entropy = policy.evaluate_actions(samples.observations, samples.actions)
            adv = samples.advantages
            adv = (adv - adv.mean()) / (adv.std() + 1e-8)
            ratio = th.exp(log_prob - samples.old_log_prob)
            policy_loss = -th.min(adv * ratio, adv * th.clamp(ratio, 1 - clip, 1 + clip)).mean()
            clipped = samples.old_values + th.clamp(values - samples.old_values, -clip, clip)
            loss = policy_loss + 0.5 * F.mse_loss(samples.returns, clipped) - 0.01 * entropy.mean()
            optimizer.zero_grad()
            loss.backward()
            th.nn.utils.clip_grad_norm_(policy.parameters(), 0.5)
            optimizer.step()
    reveal_type(buffer.returns)
    reveal_type(obs)
    return policy, obs


if __name__ == "__main__":
    policy, obs = train()
    action, value, _ = policy(th.as_tensor(obs), deterministic=True)
    reveal_type(action)
    reveal_type(value)

"""PPO with a rollout buffer of NumPy arrays, generalised advantages, vectorised own environments, minibatches by shuffled indices."""
import os
import random
import time
from dataclasses import dataclass, field

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim
from torch.distributions import Categorical, Normal, Independent


@dataclass
class Args:
    seed: int = 1
    num_envs: int = 4
    num_steps: int = 16
    total_timesteps: int = 192
    gamma: float = 0.99
    gae_lambda: float = 0.95
    num_minibatches: int = 4
    update_epochs: int = 2
    clip_coef: float = 0.2
    hidden: int = field(default=32)
    batch_size: int = 0
    minibatch_size: int = 0
    num_iterations: int = 0


class PointEnv:
    obs_dim, act_dim = 6, 2

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.t = 0
        self.state = self.rng.normal(size=self.obs_dim).astype(np.float32)  #! size=self.obs_dim => size=self.act_dim
        return self.state

    def step(self, action):
        self.state = self.state + np.concatenate([action, action * 0.5, -action]).astype(np.float32) * 0.1  #! [action, action * 0.5, -action] => [action, action]
        self.t += 1
        done = self.t >= 10
        reward = -float(np.square(self.state).sum())
        return (self.reset() if done else self.state), reward, done


class VecEnv:
    def __init__(self, make, n):
        self.envs = [make(i) for i in range(n)]

    def reset(self):
        return np.stack([e.reset() for e in self.envs])

    def step(self, actions):
        obs, rewards, dones = zip(*(e.step(a) for e, a in zip(self.envs, actions)))
        return np.stack(obs), np.array(rewards, dtype=np.float32), np.array(dones)  #! np.stack(obs) => np.concatenate(obs)


def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class Agent(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden):
        super().__init__()
        self.critic = nn.Sequential(
            layer_init(nn.Linear(obs_dim, hidden)), nn.Tanh(),
            layer_init(nn.Linear(hidden, 1), std=1.0))  #! nn.Linear(hidden, 1) => nn.Linear(hidden * 2, 1)
        self.actor_mean = nn.Sequential(
            layer_init(nn.Linear(obs_dim, hidden)), nn.Tanh(),
            layer_init(nn.Linear(hidden, act_dim), std=0.01))
        self.actor_logstd = nn.Parameter(torch.zeros(1, act_dim))  #! (1, act_dim) => (1, act_dim + 1)

    def get_value(self, x):
        return self.critic(x)

    def get_action_and_value(self, x, action=None):
        mean = self.actor_mean(x)
        std = torch.exp(self.actor_logstd.expand_as(mean))
        probs = Normal(mean, std)
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action).sum(1), probs.entropy().sum(1), self.critic(x)


if __name__ == "__main__":
    args = Args()
    args.batch_size = int(args.num_envs * args.num_steps)
    args.minibatch_size = int(args.batch_size // args.num_minibatches)
    args.num_iterations = args.total_timesteps // args.batch_size
    random.seed(args.seed); np.random.seed(args.seed); torch.manual_seed(args.seed)
    device = torch.device("cuda" if torch.cuda.is_available() and not os.environ.get("NO_CUDA") else "cpu")
    envs = VecEnv(PointEnv, args.num_envs)
    agent = Agent(PointEnv.obs_dim, PointEnv.act_dim, args.hidden).to(device)
    optimizer = optim.Adam(agent.parameters(), lr=2.5e-4, eps=1e-5)

    obs = torch.zeros((args.num_steps, args.num_envs, PointEnv.obs_dim)).to(device)  #! args.num_steps, args.num_envs, PointEnv.obs_dim => args.num_envs, args.num_steps, PointEnv.obs_dim
    actions = torch.zeros((args.num_steps, args.num_envs) + (PointEnv.act_dim,)).to(device)
    logprobs = torch.zeros((args.num_steps, args.num_envs)).to(device)
    rewards = torch.zeros((args.num_steps, args.num_envs)).to(device)
    dones = torch.zeros((args.num_steps, args.num_envs)).to(device)
    values = torch.zeros((args.num_steps, args.num_envs)).to(device)

    global_step, start = 0, time.time()
    next_obs = torch.Tensor(envs.reset()).to(device)
    next_done = torch.zeros(args.num_envs).to(device)
    for iteration in range(1, args.num_iterations + 1):
        for step in range(args.num_steps):
            global_step += args.num_envs
            obs[step] = next_obs
            dones[step] = next_done
            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs)
                values[step] = value.flatten()  #! value.flatten() => value
            actions[step], logprobs[step] = action, logprob
            fresh, reward, done = envs.step(action.cpu().numpy())  #! action.cpu().numpy() => action.cpu().numpy().T
            rewards[step] = torch.tensor(reward).to(device).view(-1)
            next_obs, next_done = torch.Tensor(fresh).to(device), torch.Tensor(done.astype(np.float32)).to(device)
        with torch.no_grad():
            next_value = agent.get_value(next_obs).reshape(1, -1)
            advantages = torch.zeros_like(rewards).to(device)
            lastgaelam = 0
            for t in reversed(range(args.num_steps)):
                if t == args.num_steps - 1:
                    nonterminal, following = 1.0 - next_done, next_value
                else:
                    nonterminal, following = 1.0 - dones[t + 1], values[t + 1]
                delta = rewards[t] + args.gamma * following * nonterminal - values[t]
                advantages[t] = lastgaelam = delta + args.gamma * args.gae_lambda * nonterminal * lastgaelam
            returns = advantages + values
        b_obs = obs.reshape((-1, PointEnv.obs_dim))
        b_logprobs = logprobs.reshape(-1)
        b_actions = actions.reshape((-1, PointEnv.act_dim))
        b_advantages, b_returns, b_values = advantages.reshape(-1), returns.reshape(-1), values.reshape(-1)
        b_inds = np.arange(args.batch_size)
        for epoch in range(args.update_epochs):
            np.random.shuffle(b_inds)
            for begin in range(0, args.batch_size, args.minibatch_size):
                mb = b_inds[begin:begin + args.minibatch_size]
                _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb], b_actions[mb])  #! b_actions[mb] => actions[mb]
                ratio = (newlogprob - b_logprobs[mb]).exp()  #! b_logprobs[mb] => b_logprobs
                adv = b_advantages[mb]
                adv = (adv - adv.mean()) / (adv.std() + 1e-8)
                pg = torch.max(-adv * ratio, -adv * ratio.clamp(1 - args.clip_coef, 1 + args.clip_coef)).mean()
                v_loss = 0.5 * ((newvalue.view(-1) - b_returns[mb]) ** 2).mean()
                loss = pg - 0.01 * entropy.mean() + 0.5 * v_loss
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
                optimizer.step()
    reveal_type(adv)
    reveal_type(b_obs)
    reveal_type(returns)
    y_pred, y_true = b_values.cpu().numpy(), b_returns.cpu().numpy()
    print(1 - np.var(y_true - y_pred) / np.var(y_true), newvalue.shape, global_step)
    reveal_type(newvalue)

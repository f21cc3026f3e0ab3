"""Proximal policy optimisation for continuous actions, with preallocated rollout storage."""
import torch
import torch.nn as nn
from torch.distributions.normal import Normal
import numpy as np
from dataclasses import dataclass


@dataclass
class Args:
    num_envs: int = 4
    num_steps: int = 16
    num_minibatches: int = 4
    update_epochs: int = 2
    gamma: float = 0.99
    gae_lambda: float = 0.95
    clip_coef: float = 0.2
    batch_size: int = 0
    minibatch_size: int = 0


def layer_init(layer, std=np.sqrt(2), bias_const=0.0):
    torch.nn.init.orthogonal_(layer.weight, std)
    torch.nn.init.constant_(layer.bias, bias_const)
    return layer


class VecEnv:
    def __init__(self, n, obs_shape=(11,), act_shape=(3,)):
        self.n, self.obs_shape, self.act_shape = n, obs_shape, act_shape

    def reset(self):
        return np.random.randn(self.n, *self.obs_shape)

    def step(self, action):
        return np.random.randn(self.n, *self.obs_shape), np.random.randn(self.n), np.random.rand(self.n) < 0.1


class Agent(nn.Module):
    def __init__(self, envs):
        super().__init__()
        obs_dim = np.array(envs.obs_shape).prod()
        self.critic = nn.Sequential(
            layer_init(nn.Linear(obs_dim, 64)),
            nn.Tanh(),
            layer_init(nn.Linear(64, 1), std=1.0),
        )
        self.actor_mean = nn.Sequential(
            layer_init(nn.Linear(obs_dim, 64)),  #! obs_dim, 64 => obs_dim, 32
            nn.Tanh(),
            layer_init(nn.Linear(64, np.prod(envs.act_shape)), std=0.01),
        )
        self.actor_logstd = nn.Parameter(torch.zeros(1, np.prod(envs.act_shape)))  #! np.prod(envs.act_shape) => np.prod(envs.obs_shape)

    def get_value(self, x):
        return self.critic(x)

    def get_action_and_value(self, x, action=None):
        action_mean = self.actor_mean(x)
        action_logstd = self.actor_logstd.expand_as(action_mean)
        action_std = torch.exp(action_logstd)
        probs = Normal(action_mean, action_std)
        if action is None:
            action = probs.sample()
        return action, probs.log_prob(action).sum(1), probs.entropy().sum(1), self.critic(x)


def main():
    args = Args()
    args.batch_size = int(args.num_envs * args.num_steps)
    args.minibatch_size = int(args.batch_size // args.num_minibatches)
    envs = VecEnv(args.num_envs)
    agent = Agent(envs)
    optimizer = torch.optim.Adam(agent.parameters(), lr=3e-4, eps=1e-5)

    obs = torch.zeros((args.num_steps, args.num_envs) + envs.obs_shape)
    actions = torch.zeros((args.num_steps, args.num_envs) + envs.act_shape)  #! envs.act_shape) => envs.obs_shape)
    logprobs = torch.zeros((args.num_steps, args.num_envs))
    rewards = torch.zeros((args.num_steps, args.num_envs))
    dones = torch.zeros((args.num_steps, args.num_envs))
    values = torch.zeros((args.num_steps, args.num_envs))

    next_obs = torch.Tensor(envs.reset())
    next_done = torch.zeros(args.num_envs)
    for iteration in range(2):
        for step in range(0, args.num_steps):
            obs[step] = next_obs
            dones[step] = next_done
            with torch.no_grad():
                action, logprob, _, value = agent.get_action_and_value(next_obs)
                values[step] = value.flatten()  #! value.flatten() => value
            actions[step] = action
            logprobs[step] = logprob
            next_obs, reward, done = envs.step(action.cpu().numpy())
            rewards[step] = torch.tensor(reward).view(-1)
            next_obs, next_done = torch.Tensor(next_obs), torch.Tensor(done.astype(np.float32))

        with torch.no_grad():
            next_value = agent.get_value(next_obs).reshape(1, -1)
            advantages = torch.zeros_like(rewards)
            lastgaelam = 0
            for t in reversed(range(args.num_steps)):
                if t == args.num_steps - 1:
                    nextnonterminal = 1.0 - next_done
                    nextvalues = next_value
                else:
                    nextnonterminal = 1.0 - dones[t + 1]
                    nextvalues = values[t + 1]
                delta = rewards[t] + args.gamma * nextvalues * nextnonterminal - values[t]
                advantages[t] = lastgaelam = delta + args.gamma * args.gae_lambda * nextnonterminal * lastgaelam
            returns = advantages + values

        b_obs = obs.reshape((-1,) + envs.obs_shape)
        b_logprobs = logprobs.reshape(-1)  #! logprobs.reshape(-1) => logprobs
        b_actions = actions.reshape((-1,) + envs.act_shape)  #! (-1,) + envs.act_shape => (-1,) + envs.obs_shape
        b_advantages = advantages.reshape(-1)
        b_returns = returns.reshape(-1)
        reveal_type(b_obs)
        reveal_type(b_actions)

        b_inds = np.arange(args.batch_size)
        for epoch in range(args.update_epochs):
            np.random.shuffle(b_inds)
            for start in range(0, args.batch_size, args.minibatch_size):
                end = start + args.minibatch_size
                mb_inds = b_inds[start:end]
                _, newlogprob, entropy, newvalue = agent.get_action_and_value(b_obs[mb_inds], b_actions[mb_inds])
                logratio = newlogprob - b_logprobs[mb_inds]
                ratio = logratio.exp()
                mb_advantages = b_advantages[mb_inds]
                mb_advantages = (mb_advantages - mb_advantages.mean()) / (mb_advantages.std() + 1e-8)
                pg_loss1 = -mb_advantages * ratio
                pg_loss2 = -mb_advantages * torch.clamp(ratio, 1 - args.clip_coef, 1 + args.clip_coef)
                pg_loss = torch.max(pg_loss1, pg_loss2).mean()
                newvalue = newvalue.view(-1)
                v_loss = 0.5 * ((newvalue - b_returns[mb_inds]) ** 2).mean()
                reveal_type(ratio)
                loss = pg_loss - 0.01 * entropy.mean() + v_loss * 0.5
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()


if __name__ == "__main__":
    main()

"""Soft actor-critic with a NumPy replay buffer, twin critics and a squashed Gaussian policy."""
import copy
from typing import Dict

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.distributions import Normal

LOG_STD_MIN, LOG_STD_MAX = -20, 2


class ReplayBuffer:
    def __init__(self, obs_dim: int, act_dim: int, size: int, batch_size: int = 32):
        self.obs_buf = np.zeros([size, obs_dim], dtype=np.float32)
        self.next_obs_buf = np.zeros([size, obs_dim], dtype=np.float32)
        self.acts_buf = np.zeros([size, act_dim], dtype=np.float32)
        self.rews_buf = np.zeros([size], dtype=np.float32)
        self.done_buf = np.zeros([size], dtype=np.float32)
        self.max_size, self.batch_size = size, batch_size
        self.ptr, self.size = 0, 0

    def store(self, obs, act, rew, next_obs, done):
        self.obs_buf[self.ptr] = obs
        self.next_obs_buf[self.ptr] = next_obs
        self.acts_buf[self.ptr] = act
        self.rews_buf[self.ptr] = rew
        self.done_buf[self.ptr] = done
        self.ptr = (self.ptr + 1) % self.max_size
        self.size = min(self.size + 1, self.max_size)

    def sample_batch(self) -> Dict[str, np.ndarray]:
        idxs = np.random.choice(self.size, size=self.batch_size, replace=False)
        return dict(obs=self.obs_buf[idxs], next_obs=self.next_obs_buf[idxs], acts=self.acts_buf[idxs], rews=self.rews_buf[idxs], done=self.done_buf[idxs])

    def __len__(self):
        return self.size


def mlp(sizes, activation=nn.ReLU, output_activation=nn.Identity):
    layers = []
    for j in range(len(sizes) - 1):
        act = activation if j < len(sizes) - 2 else output_activation
        layers += [nn.Linear(sizes[j], sizes[j + 1]), act()]  #! sizes[j + 1] => sizes[-1]
    return nn.Sequential(*layers)


class SquashedGaussianActor(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden_sizes, act_limit):
        super().__init__()
        self.net = mlp([obs_dim] + list(hidden_sizes), output_activation=nn.ReLU)
        self.mu_layer = nn.Linear(hidden_sizes[-1], act_dim)
        self.log_std_layer = nn.Linear(hidden_sizes[-1], act_dim)  #! hidden_sizes[-1], act_dim => hidden_sizes[0], act_dim
        self.act_limit = act_limit

    def forward(self, obs, deterministic=False, with_logprob=True):
        net_out = self.net(obs)
        mu = self.mu_layer(net_out)
        log_std = torch.clamp(self.log_std_layer(net_out), LOG_STD_MIN, LOG_STD_MAX)
        std = torch.exp(log_std)
        pi_distribution = Normal(mu, std)
        pi_action = mu if deterministic else pi_distribution.rsample()
        if with_logprob:
            logp_pi = pi_distribution.log_prob(pi_action).sum(axis=-1)
            logp_pi -= (2 * (np.log(2) - pi_action - F.softplus(-2 * pi_action))).sum(axis=1)  #! .sum(axis=1) => .sum(axis=2)
        else:
            logp_pi = None
        return self.act_limit * torch.tanh(pi_action), logp_pi


class QFunction(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden_sizes):
        super().__init__()
        self.q = mlp([obs_dim + act_dim] + list(hidden_sizes) + [1])  #! obs_dim + act_dim => obs_dim

    def forward(self, obs, act):
        q = self.q(torch.cat([obs, act], dim=-1))
        return torch.squeeze(q, -1)  #! torch.squeeze(q, -1) => q


class ActorCritic(nn.Module):
    def __init__(self, obs_dim, act_dim, hidden_sizes=(64, 32)):
        super().__init__()
        self.pi = SquashedGaussianActor(obs_dim, act_dim, hidden_sizes, 1.0)
        self.q1 = QFunction(obs_dim, act_dim, hidden_sizes)
        self.q2 = QFunction(obs_dim, act_dim, hidden_sizes)

    def act(self, obs, deterministic=False):
        with torch.no_grad():
            a, _ = self.pi(obs, deterministic, False)
            return a.numpy()


class SACAgent:
    def __init__(self, obs_dim=17, act_dim=6, gamma=0.99, polyak=0.995):
        self.ac = ActorCritic(obs_dim, act_dim)
        self.ac_targ = copy.deepcopy(self.ac)
        for p in self.ac_targ.parameters():
            p.requires_grad = False
        self.log_alpha = torch.zeros(1, requires_grad=True)
        self.target_entropy = -np.prod((act_dim,)).item()
        self.q_params = list(self.ac.q1.parameters()) + list(self.ac.q2.parameters())
        self.pi_opt = torch.optim.Adam(self.ac.pi.parameters(), lr=1e-3)
        self.q_opt = torch.optim.Adam(self.q_params, lr=1e-3)
        self.alpha_opt = torch.optim.Adam([self.log_alpha], lr=1e-3)
        self.memory = ReplayBuffer(obs_dim, act_dim, 200)  #! obs_dim, act_dim, 200 => act_dim, obs_dim, 200
        self.gamma, self.polyak = gamma, polyak

    def compute_loss_q(self, data):
        o, a, r, o2, d = data["obs"], data["acts"], data["rews"], data["next_obs"], data["done"]
        q1, q2 = self.ac.q1(o, a), self.ac.q2(o, a)
        with torch.no_grad():
            a2, logp_a2 = self.ac.pi(o2)
            q_pi_targ = torch.min(self.ac_targ.q1(o2, a2), self.ac_targ.q2(o2, a2))
            backup = r + self.gamma * (1 - d) * (q_pi_targ - self.log_alpha.exp() * logp_a2)
        reveal_type(backup)
        return F.mse_loss(q1, backup) + F.mse_loss(q2, backup)

    def compute_loss_pi(self, data):
        o = data["obs"]
        pi, logp_pi = self.ac.pi(o)
        q_pi = torch.min(self.ac.q1(o, pi), self.ac.q2(o, pi))  #! self.ac.q2(o, pi) => self.ac.q2(pi, pi)
        return (self.log_alpha.exp().detach() * logp_pi - q_pi).mean(), logp_pi

    def update(self):
        data = {k: torch.as_tensor(v, dtype=torch.float32) for k, v in self.memory.sample_batch().items()}
        self.q_opt.zero_grad()
        loss_q = self.compute_loss_q(data)
        loss_q.backward()
        self.q_opt.step()
        for p in self.q_params:
            p.requires_grad = False
        self.pi_opt.zero_grad()
        loss_pi, logp = self.compute_loss_pi(data)
        loss_pi.backward()
        self.pi_opt.step()
        for p in self.q_params:
            p.requires_grad = True
        alpha_loss = -(self.log_alpha * (logp + self.target_entropy).detach()).mean()
        self.alpha_opt.zero_grad()
        alpha_loss.backward()
        self.alpha_opt.step()
        with torch.no_grad():
            for p, p_targ in zip(self.ac.parameters(), self.ac_targ.parameters()):
                p_targ.data.mul_(self.polyak)
                p_targ.data.add_((1 - self.polyak) * p.data)


agent = SACAgent()
obs = np.random.randn(17)
for t in range(80):
    act = agent.ac.act(torch.as_tensor(obs, dtype=torch.float32))
    next_obs = np.random.randn(17)  #! np.random.randn(17) => np.random.randn(1, 17, 1)
    agent.memory.store(obs, act, 1.0, next_obs, t % 20 == 19)
    obs = next_obs
    if len(agent.memory) >= 64 and t % 8 == 0:
        agent.update()
reveal_type(act)

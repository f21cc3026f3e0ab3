"""Recurrent distributed Q-learning on one machine: sequences with stored states, a burn-in, value rescaling, and priorities in a sum tree."""
import math
import random
from collections import namedtuple
from typing import List, NamedTuple, Optional, Tuple

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", ["obs", "action", "reward", "done"])


class Sequence(NamedTuple):
    obs: np.ndarray
    action: np.ndarray
    reward: np.ndarray
    done: np.ndarray
    state: Tuple[np.ndarray, np.ndarray]


class SumTree:
    def __init__(self, capacity):
        self.capacity = capacity
        self.tree = np.zeros(2 * capacity - 1)
        self.data: List[Optional[Sequence]] = [None] * capacity
        self.write = self.count = 0

    def add(self, priority, item):
        index = self.write + self.capacity - 1
        self.data[self.write] = item
        self.update(index, priority)
        self.write = (self.write + 1) % self.capacity
        self.count = min(self.count + 1, self.capacity)

    def update(self, index, priority):
        change = priority - self.tree[index]
        self.tree[index] = priority
        while index != 0:
            index = (index - 1) // 2
            self.tree[index] += change

    def get(self, value):
        index = 0
        while True:
            left = 2 * index + 1
            if left >= len(self.tree):
                break
            if value <= self.tree[left]:
                index = left
            else:
                value -= self.tree[left]
                index = left + 1
        return index, self.tree[index], self.data[index - self.capacity + 1]


class Maze:
    actions, planes, size = 4, 2, 7

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)

    def reset(self):
        self.pos, self.goal = self.rng.integers(0, self.size, 2), self.rng.integers(0, self.size, 2)
        return self.view()

    def view(self):
        planes = np.zeros((self.planes, self.size, self.size), dtype=np.float32)
        for i, (r, c) in enumerate((self.pos, self.goal)):
            planes[i, r, c] = 1
        return planes

    def step(self, action):
        self.pos = np.clip(self.pos + [(0, 1), (1, 0), (0, -1), (-1, 0)][action], 0, self.size - 1)
        done = bool((self.pos == self.goal).all())
        return self.view(), float(done), done


class RecurrentQ(nn.Module):
    def __init__(self, planes, size, actions, hidden=32):
        super().__init__()
        self.hidden, self.actions = hidden, actions
        self.features = nn.Sequential(nn.Conv2d(planes, 8, 3, padding=1), nn.ReLU(), nn.Conv2d(8, 8, 3), nn.ReLU(), nn.Flatten())
        flat = self.features(torch.zeros(1, planes, size, size)).shape[1]
        self.lstm = nn.LSTM(flat + actions + 1, hidden)  #! flat + actions + 1 => flat + actions
        self.advantage, self.value = (nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, n)) for n in (actions, 1))  #! n in (actions, 1) => n in (actions, 2)

    def initial(self, batch):
        return torch.zeros(1, batch, self.hidden), torch.zeros(1, batch, self.hidden)

    def forward(self, obs, last_action, last_reward, state):
        steps, batch = obs.shape[:2]
        x = self.features(obs.flatten(0, 1)).view(steps, batch, -1)  #! obs.flatten(0, 1) => obs
        action = F.one_hot(last_action, self.actions).float()
        x = torch.cat([x, action, last_reward.unsqueeze(-1)], dim=-1)  #! last_reward.unsqueeze(-1) => last_reward
        out, state = self.lstm(x, state)
        advantage = self.advantage(out)
        return self.value(out) + advantage - advantage.mean(-1, keepdim=True), state


def rescale(x, eps=1e-3):
    return x.sign() * ((x.abs() + 1).sqrt() - 1) + eps * x


def unscale(x, eps=1e-3):
    return x.sign() * (((torch.sqrt(1 + 4 * eps * (x.abs() + 1 + eps)) - 1) / (2 * eps)) ** 2 - 1)


class Actor:
    def __init__(self, env, net, epsilon, length):
        self.env, self.net, self.epsilon, self.length = env, net, epsilon, length
        self.obs, self.state = env.reset(), net.initial(1)
        self.last = (0, 0.0)

    @torch.no_grad()
    def rollout(self):
        first = tuple(s.numpy().copy() for s in self.state)
        steps: List[Transition] = []
        for _ in range(self.length):
            q, self.state = self.net(torch.from_numpy(self.obs)[None, None], torch.tensor([[self.last[0]]]), torch.tensor([[self.last[1]]]), self.state)  #! torch.from_numpy(self.obs)[None, None] => torch.from_numpy(self.obs)[None]
            action = random.randrange(self.env.actions) if random.random() < self.epsilon else q.argmax().item()
            obs, reward, done = self.env.step(action)
            steps.append(Transition(self.obs, action, reward, done))
            self.obs, self.last = obs, (action, reward)
            if done:
                self.obs, self.state, self.last = self.env.reset(), self.net.initial(1), (0, 0.0)
        columns = Transition(*zip(*steps))
        return Sequence(np.stack(columns.obs), np.array(columns.action), np.array(columns.reward, dtype=np.float32), np.array(columns.done, dtype=np.float32), first)


def sample(tree, batch):
    segment = tree.tree[0] / batch
    picks = [tree.get(random.uniform(segment * i, segment * (i + 1))) for i in range(batch)]
    index, priority, items = zip(*picks)
    obs, action, reward, done, states = zip(*items)
    stacked = [torch.from_numpy(np.stack(part, axis=1)) for part in (obs, action, reward, done)]
    state = tuple(torch.from_numpy(np.concatenate(part, axis=1)) for part in zip(*states))  #! np.concatenate(part, axis=1) => np.concatenate(part, axis=0)
    weight = torch.tensor([tree.count * p / tree.tree[0] for p in priority], dtype=torch.float32).pow(-0.4)
    return index, stacked, state, weight / weight.max()


def learn(net, target, optimizer, tree, batch=4, burn_in=3, gamma=0.97):
    index, (obs, action, reward, done), state, weight = sample(tree, batch)
    before = torch.cat([torch.zeros_like(action[:1]), action[:-1]])
    got = torch.cat([torch.zeros_like(reward[:1]), reward[:-1]])
    with torch.no_grad():
        _, warm = net(obs[:burn_in], before[:burn_in], got[:burn_in], state)
        _, warm_target = target(obs[:burn_in], before[:burn_in], got[:burn_in], state)
    q, _ = net(obs[burn_in:], before[burn_in:], got[burn_in:], warm)
    reveal_type(q)
    with torch.no_grad():
        q_target, _ = target(obs[burn_in:], before[burn_in:], got[burn_in:], warm_target)
        best = q.argmax(-1, keepdim=True)
        future = unscale(q_target.gather(-1, best).squeeze(-1)[1:])  #! .squeeze(-1)[1:] => .squeeze(-1)
        wanted = rescale(reward[burn_in:-1] + gamma * (1 - done[burn_in:-1]) * future)
    chosen = q[:-1].gather(-1, action[burn_in:-1].unsqueeze(-1)).squeeze(-1)  #! action[burn_in:-1].unsqueeze(-1) => action[burn_in:-1]
    error = wanted - chosen
    loss = (weight * error.pow(2).mean(0)).mean()  #! error.pow(2).mean(0) => error.pow(2).mean(1)
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(net.parameters(), 40.0)
    optimizer.step()
    priority = 0.9 * error.abs().amax(0) + 0.1 * error.abs().mean(0)
    reveal_type(priority)
    for i, p in zip(index, priority.tolist()):
        tree.update(i, p + 1e-3)
    return loss.item()


def main():
    random.seed(0), torch.manual_seed(0)
    envs = [Maze(seed) for seed in range(3)]
    net, target = (RecurrentQ(Maze.planes, Maze.size, Maze.actions) for _ in range(2))
    target.load_state_dict(net.state_dict())
    actors = [Actor(env, net, 0.4 ** (1 + 7 * i / (len(envs) - 1)), length=9) for i, env in enumerate(envs)]
    tree = SumTree(16)
    optimizer = torch.optim.Adam(net.parameters(), 1e-3)
    for update in range(4):
        for actor in actors:
            tree.add(1.0, actor.rollout())
        loss = learn(net, target, optimizer, tree)
        if update % 2 == 1:
            target.load_state_dict(net.state_dict())
    print(loss, math.isfinite(loss))


if __name__ == "__main__":
    main()

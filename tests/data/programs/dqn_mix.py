"""Deep Q-learning family: replay with named tuples, n-step returns, duelling heads, quantile and double targets."""
import random
from collections import deque, namedtuple
from itertools import count
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward"))


class Replay:
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, n):
        return random.sample(self.memory, n)

    def __len__(self):
        return len(self.memory)


class Pole:
    def reset(self):
        self.s, self.t = np.random.uniform(-0.05, 0.05, size=4), 0
        return np.array(self.s, dtype=np.float32)

    def step(self, action):
        self.s = self.s + 0.02 * np.array([self.s[1], 2.0 * action - 1, self.s[3], self.s[2]])
        self.t += 1
        return np.array(self.s, dtype=np.float32), 1.0, self.t >= 30, {}


class Duel(nn.Module):
    def __init__(self, obs, actions, hidden=64):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(obs, hidden), nn.ReLU())
        self.value, self.adv = nn.Linear(hidden, 1), nn.Linear(hidden, actions)

    def forward(self, x):
        h = self.body(x)
        a = self.adv(h)
        return self.value(h) + a - a.mean(dim=1, keepdim=True)  #! keepdim=True => keepdim=False


class QuantileNet(nn.Module):
    def __init__(self, obs, actions, n=11):
        super().__init__()
        self.actions, self.n = actions, n
        self.net = nn.Sequential(nn.Linear(obs, 64), nn.ReLU(), nn.Linear(64, actions * n))  #! actions * n => actions

    def forward(self, x):
        return self.net(x).view(-1, self.actions, self.n)


def select(net, state, eps):
    if random.random() < eps:
        return torch.tensor([[random.randrange(2)]], dtype=torch.long)
    with torch.no_grad():
        return net(state).max(1).indices.view(1, 1)  #! .view(1, 1) => 


def optimise(memory, policy, target, opt, batch=16, gamma=0.99):
    if len(memory) < batch:
        return None
    rows = Transition(*zip(*memory.sample(batch)))
    mask = torch.tensor(tuple(map(lambda s: s is not None, rows.next_state)), dtype=torch.bool)
    nexts = torch.cat([s for s in rows.next_state if s is not None])
    state, action, reward = torch.cat(rows.state), torch.cat(rows.action), torch.cat(rows.reward)  #! torch.cat(rows.state) => torch.stack(rows.state)
    q = policy(state).gather(1, action)  #! gather(1, action) => gather(1, reward)
    nextq = torch.zeros(batch)
    with torch.no_grad():
        nextq[mask] = target(nexts).max(1).values
    expected = reward + gamma * nextq
    loss = nn.SmoothL1Loss()(q, expected.unsqueeze(1))
    opt.zero_grad()
    loss.backward()
    nn.utils.clip_grad_value_(policy.parameters(), 100)
    opt.step()
    return q


env, memory = Pole(), Replay(500)
policy, target = Duel(4, 2), Duel(4, 2)  #! Duel(4, 2), Duel(4, 2) => Duel(4, 2), Duel(4, 3)
target.load_state_dict(policy.state_dict())
opt = torch.optim.AdamW(policy.parameters(), lr=1e-4, amsgrad=True)
for episode in range(3):
    state = torch.tensor(env.reset(), dtype=torch.float32).unsqueeze(0)  #! .unsqueeze(0) => 
    for t in count():
        action = select(policy, state, 0.2)
        obs, reward, done, _ = env.step(action.item())
        nxt = None if done else torch.tensor(obs, dtype=torch.float32).unsqueeze(0)
        memory.push(state, action, nxt, torch.tensor([reward]))
        state = nxt
        q = optimise(memory, policy, target, opt)
        soft = target.state_dict()
        for k, v in policy.state_dict().items():
            soft[k] = v * 0.005 + soft[k] * 0.995
        target.load_state_dict(soft)
        if done:
            break
reveal_type(q)
reveal_type(memory.memory[0].state)

quant, tgt = QuantileNet(4, 2), QuantileNet(4, 2)
s, a, r, s2, d = torch.randn(32, 4), torch.randint(0, 2, (32,)), torch.randn(32), torch.randn(32, 4), torch.zeros(32)
theta = quant(s)[torch.arange(32), a]  #! torch.arange(32), a => torch.arange(30), a
with torch.no_grad():
    best = quant(s2).mean(2).argmax(1)  #! .mean(2) => .mean(1)
    nxt = tgt(s2).gather(1, best.view(-1, 1, 1).expand(-1, 1, tgt.n)).squeeze(1)  #! best.view(-1, 1, 1) => best.view(-1, 1)
    goal = r[:, None] + 0.99 * (1 - d)[:, None] * nxt  #! r[:, None] => r
reveal_type(theta)
reveal_type(goal)
tau = (torch.arange(quant.n) + 0.5) / quant.n
u = goal.unsqueeze(1) - theta.unsqueeze(2)
rho = (tau.view(1, -1, 1) - (u.detach() < 0).float()).abs() * F.huber_loss(goal.unsqueeze(1).expand_as(u), theta.unsqueeze(2).expand_as(u), reduction="none")
reveal_type(rho)
rho.mean(2).sum(1).mean().backward()
window = deque(maxlen=3)
for reward in [1.0, 0.5, 0.25, 2.0]:
    window.append(reward)
returns = sum(0.9 ** i * w for i, w in enumerate(window))
stack = deque([torch.zeros(84, 84)] * 4, maxlen=4)
for _ in range(6):
    stack.append(torch.rand(84, 84))
frames = torch.stack(list(stack)).unsqueeze(0)
conv = nn.Sequential(nn.Conv2d(4, 16, 8, 4), nn.ReLU(), nn.Conv2d(16, 32, 4, 2), nn.ReLU(), nn.Flatten(), nn.Linear(2592, 6))  #! 2592 => 2048 #! nn.Conv2d(4, 16, 8, 4) => nn.Conv2d(1, 16, 8, 4)
reveal_type(conv(frames))

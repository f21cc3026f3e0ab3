"""Deep Q-learning with a replay buffer of named tuples and a target network."""
import math
import random
from collections import deque, namedtuple
from itertools import count

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torch.optim as optim

Transition = namedtuple("Transition", ("state", "action", "next_state", "reward", "done"))


class CartEnv:
    """A stand-in for an environment with four observations and two actions."""

    n_obs, n_act = 4, 2

    def reset(self):
        self.t = 0
        return np.zeros(self.n_obs, dtype=np.float32)

    def step(self, action):
        self.t += 1
        return np.random.randn(self.n_obs).astype(np.float32), 1.0, self.t >= 20


class ReplayMemory(object):
    def __init__(self, capacity):
        self.memory = deque([], maxlen=capacity)

    def push(self, *args):
        self.memory.append(Transition(*args))

    def sample(self, batch_size):
        return random.sample(self.memory, batch_size)

    def __len__(self):
        return len(self.memory)


class DQN(nn.Module):
    def __init__(self, n_observations, n_actions):
        super(DQN, self).__init__()
        self.layer1 = nn.Linear(n_observations, 128)
        self.layer2 = nn.Linear(128, 128)
        self.layer3 = nn.Linear(128, n_actions)

    def forward(self, x):
        x = F.relu(self.layer1(x))
        x = F.relu(self.layer2(x))
        return self.layer3(x)


BATCH_SIZE = 32
GAMMA = 0.99
EPS_START, EPS_END, EPS_DECAY = 0.9, 0.05, 1000
TAU = 0.005

env = CartEnv()
policy_net = DQN(env.n_obs, env.n_act)  #! env.n_obs, env.n_act => env.n_act, env.n_obs
target_net = DQN(env.n_obs, env.n_act)
target_net.load_state_dict(policy_net.state_dict())
optimizer = optim.AdamW(policy_net.parameters(), lr=1e-4, amsgrad=True)
memory = ReplayMemory(1000)
steps_done = 0


def select_action(state):
    global steps_done
    sample = random.random()
    eps = EPS_END + (EPS_START - EPS_END) * math.exp(-1.0 * steps_done / EPS_DECAY)
    steps_done += 1
    if sample > eps:
        with torch.no_grad():
            return policy_net(state).max(1).indices.view(1, 1)
    return torch.tensor([[random.randrange(env.n_act)]], dtype=torch.long)  #! [[random.randrange(env.n_act)]] => [random.randrange(env.n_act)]


def optimize_model():
    if len(memory) < BATCH_SIZE:
        return
    transitions = memory.sample(BATCH_SIZE)
    batch = Transition(*zip(*transitions))
    state_batch = torch.cat(batch.state)  #! torch.cat(batch.state) => torch.stack(batch.state)
    action_batch = torch.cat(batch.action)
    reward_batch = torch.cat(batch.reward)
    done_batch = torch.tensor(batch.done, dtype=torch.float32)
    next_batch = torch.cat(batch.next_state)
    reveal_type(state_batch)
    state_action_values = policy_net(state_batch).gather(1, action_batch)  #! gather(1, action_batch) => gather(1, reward_batch.long())
    with torch.no_grad():
        next_values = target_net(next_batch).max(1)[0]
    expected = reward_batch + GAMMA * next_values * (1 - done_batch)
    reveal_type(expected)
    criterion = nn.SmoothL1Loss()
    loss = criterion(state_action_values, expected.unsqueeze(1))
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_value_(policy_net.parameters(), 100)
    optimizer.step()


for i_episode in range(4):
    state = torch.tensor(env.reset(), dtype=torch.float32).unsqueeze(0)  #! .unsqueeze(0) =>
    for t in count():
        action = select_action(state)
        observation, reward, done = env.step(action.item())
        reward = torch.tensor([reward])
        next_state = torch.tensor(observation, dtype=torch.float32).unsqueeze(0)
        memory.push(state, action, next_state, reward, done)
        state = next_state
        optimize_model()
        sd = target_net.state_dict()
        for key, value in policy_net.state_dict().items():
            sd[key] = value * TAU + sd[key] * (1 - TAU)
        target_net.load_state_dict(sd)
        if done:
            break

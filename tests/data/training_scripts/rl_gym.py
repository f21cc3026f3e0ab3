import gym
import random
from collections import deque
import torch
import torch.nn as nn

env = gym.make("CartPole-v1")
net = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(net.parameters())
memory = deque(maxlen=1000)
epsilon = 1.0


def learn():
    if len(memory) < 32:
        return None
    batch = random.sample(memory, 32)
    s, a, r = zip(*batch)
    q = net(torch.stack(s)).gather(1, torch.tensor(a).unsqueeze(1))
    loss = nn.functional.mse_loss(q.squeeze(1), torch.tensor(r))
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss


for episode in range(100):
    state, done, total = env.reset(), False, 0
    while not done:
        s = torch.rand(4)
        if random.random() < epsilon:
            action = random.randrange(2)
        else:
            action = net(s).argmax().item()
        state, reward, done, _ = env.step(action)
        memory.append((s, action, float(reward)))
        loss = learn()
        total += reward
        if loss is not None and loss.item() > 100:
            print("large")
    epsilon = max(0.05, epsilon * 0.99)
    if total > 195:
        print("solved")
        break

import gym
import torch
from torch import nn

class Buffer:
    def __init__(self, size, width):
        self.seen = torch.zeros(size, width)
        self.gained = torch.zeros(size)
        self.at, self.start = 0, 0

    def store(self, seen, gain):
        self.seen[self.at] = seen
        self.gained[self.at] = gain
        self.at += 1

    def finish(self):
        path = slice(self.start, self.at)
        self.gained[path] = self.gained[path].flip(0).cumsum(0)
        self.start = self.at

    def get(self):
        self.at, self.start = 0, 0
        return self.seen, (self.gained - self.gained.mean()) / self.gained.std()

class Log:
    def __init__(self):
        self.rows, self.now = [], {}

    def store(self, **values):
        for name, value in values.items():
            if name not in self.now:
                self.now[name] = []
            self.now[name].append(value)

    def dump(self):
        row = {}
        for name, values in self.now.items():
            row[name] = sum(values) / len(values)
        self.rows.append(row)
        self.now = {}

class Actor(nn.Module):
    def __init__(self, width, choices):
        super().__init__()
        layers = []
        for _ in range(3):
            layers += [nn.Linear(width, 16), nn.Tanh()]
            width = 16
        self.body = nn.Sequential(*layers)
        self.policy = nn.Linear(width, choices)
        self.value = nn.Linear(width, 1)

    def forward(self, seen):
        hidden = self.body(seen)
        return self.policy(hidden), self.value(hidden)

def train(world, epochs=60, per_epoch=300, updates=80):
    actor, buffer, log = Actor(6, 3), Buffer(per_epoch, 6), Log()
    optimizer = torch.optim.Adam(actor.parameters())
    seen, length, total = world.reset(), 0, 0.0
    for epoch in range(epochs):
        for t in range(per_epoch):
            scores, value = actor(torch.as_tensor(seen, dtype=torch.float32).view(6))
            action = scores.argmax()
            seen, gain, done, _ = world.step(action.item())
            length, total = length + 1, total + gain
            buffer.store(torch.rand(6), gain)
            log.store(value=value.item(), gain=gain)
            if done or length == 1000 or t == per_epoch - 1:
                buffer.finish()
                log.store(length=length, total=total)
                seen, length, total = world.reset(), 0, 0.0
        states, gains = buffer.get()
        for i in range(updates):
            optimizer.zero_grad()
            scores, values = actor(states)
            loss = ((values.squeeze(1) - gains) ** 2).mean() - scores.mean()
            loss.backward()
            for p in actor.parameters():
                p.grad /= 2
            optimizer.step()
            if loss.item() < 1e-3:
                break
        log.dump()
    return actor

if __name__ == "__main__":

    trained = train(gym.make("CartPole-v0"))
    trained(torch.rand(4, 7))

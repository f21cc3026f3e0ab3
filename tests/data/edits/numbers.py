"""Elements that are read, added up and collected one by one."""
import numpy as np
import torch

torch.manual_seed(1)
np.random.seed(1)
t, labels = torch.rand(2000), torch.randint(0, 9, (2000,))
x, y = np.random.rand(3000), np.random.rand(3000)
total = 0.0
for i in range(2000):
    total += t[i].item()
counts = [0] * 9
for label in labels:
    counts[label.item()] += 1
best = -1.0
for index, score in enumerate(t):
    best = max(best, score.item() + index / 1e6)
values = [value.item() for value in t]
distance = 0.0
for i in range(len(x)):
    distance += abs(x[i] - y[i]) ** 2 / (x[i] + 1)
product = 0.0
for p, q in zip(x, y): product += p * q
scaled = []
for value in x:
    scaled.append((value - 0.5) / 0.25)
roots = [np.sqrt(value) for value in x]
largest, highest = max(np.arange(40000)), sum(np.arange(30000) % 7)
clipped, positive = np.zeros(3000), np.ones(3000)
for i in range(3000):
    if x[i] > y[i] * 2:
        clipped[i] = x[i] - y[i]
    else:
        clipped[i] = 0.5
for i in range(len(y)):
    if y[i] < 0.25: positive[i] = -y[i] * 3 + 1

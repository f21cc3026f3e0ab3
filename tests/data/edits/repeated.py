"""Work that is repeated, and the same in each iteration."""
import numpy as np
import torch
from torch import nn

torch.manual_seed(8)
np.random.seed(8)
net = nn.Linear(500, 500)
w, stats = torch.rand(300, 300), []


def gram(a):
    return a @ a.t()


with torch.no_grad():
    x = torch.rand(200, 500)
    scores = net(x).softmax(dim=1)
    best = net(x).argmax(dim=1)
    named = gram(w)
    again = gram(w) + 1
total = torch.zeros(300, 300)
for step in range(50):
    total = total + gram(w) * step
for step in range(30):
    g = gram(w)
    stats.append(float(g.sum()) + step)
chosen = list(np.random.randint(0, 100000, 5000))
count = 0
for i in range(3000):
    if i in chosen or i + 1 in chosen:
        count += 1

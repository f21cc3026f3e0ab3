"""Moves where there may be no accelerator."""
import numpy as np
import torch

torch.manual_seed(10)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
w, found = torch.rand(256, 256), []
for i in range(200):
    x = torch.full((8, 256), float(i)).to(device)
    found.append((x @ w.to(device)).sum().item())
exps = []
for i in range(100):
    scores = torch.rand(32, 100)
    values = torch.from_numpy(np.exp(scores.numpy()))
    places = torch.from_numpy(np.argmax(scores.numpy(), axis=1))
    exps.append((values.sum().item(), places.tolist()))

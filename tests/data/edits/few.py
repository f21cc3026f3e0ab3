"""Sorts of which a few elements are taken."""
import numpy as np
import torch

np.random.seed(4)
torch.manual_seed(4)
scores, grid = torch.rand(5000), torch.rand(20, 3000)
distances, k = np.random.rand(4000), 7
top = torch.argsort(scores, descending=True)[:5]
low = torch.sort(scores)[0][:k]
places = torch.sort(grid, dim=1, descending=True).indices[:, :3]
each = grid.argsort(dim=-1)[:, :4]
smallest = np.sort(distances)[:10]
nearest_ones = np.argsort(distances)[:k]
first, last = np.argsort(distances)[0], np.sort(distances)[-1]

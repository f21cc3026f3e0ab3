"""Products of stacks, one by one."""
import numpy as np
import torch

torch.manual_seed(9)
np.random.seed(9)
a, b = torch.rand(60, 20, 30), torch.rand(60, 30, 10)
out = torch.zeros(60, 20, 10)
for i in range(60):
    out[i] = a[i] @ b[i]
m, w = np.random.rand(80, 12, 12), np.random.rand(12, 7)
both = np.zeros((80, 12, 7))
for k in range(80):
    both[k] = np.matmul(m[k], w)

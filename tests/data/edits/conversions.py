"""Lists of arrays, arrays through lists, axes."""
import numpy as np
import torch

np.random.seed(3)
rows = [np.random.rand(64) for _ in range(200)]
single = [np.random.rand(8).astype(np.float32) for _ in range(50)]
t = torch.tensor(rows)
f = torch.FloatTensor(rows)
s = torch.as_tensor(single)
whole = [np.arange(4) + k for k in range(60)]
w = torch.tensor(whole, dtype=torch.float32)
longs = torch.LongTensor(whole)
a = np.random.rand(500, 6)
through = torch.tensor(a.tolist())
typed = torch.FloatTensor(a[0].tolist())
listed = torch.tensor(list(a))
back = np.array(through.tolist())
largest = np.apply_along_axis(np.max, 1, a)
norms = np.apply_along_axis(np.linalg.norm, 1, a)
means = np.apply_along_axis(lambda r: np.mean(r), 0, a)

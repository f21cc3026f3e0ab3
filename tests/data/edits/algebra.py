"""Products, inverses, traces and factors, several in one statement and over several lines."""
import numpy as np
import torch
import torch.nn.functional as F

torch.manual_seed(1)
a, b, v = torch.rand(300, 300), torch.rand(300, 300), torch.rand(300, 1)
both = (torch.log(F.softmax(a, dim=1)), a.softmax(1).log(), torch.trace(a @ b))
chain = -(a @ b @ v) * 2
nested = torch.mm(torch.mm(a, b), v) ** 2
long = (a
        @ b  # the second
        @ v)
text = f"{torch.trace(a @ b):.1f}"
m, d = np.eye(200) * 3 + np.random.rand(200, 200) / 100, np.random.rand(200)
solved = np.linalg.inv(m) @ d
right = np.random.rand(5, 200) @ np.linalg.inv(m + 1)
trace = np.trace((m - 1) @ (m + 1)) / 2
scaled = m @ np.diag(d + 1) + m
table = torch.randn(5000, 64)
rows = F.one_hot(torch.randint(0, 5000, (128,)), 5000).float() @ table

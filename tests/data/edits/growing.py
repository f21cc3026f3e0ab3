"""Arrays and tables that grow."""
import numpy as np
import pandas as pd
import torch

np.random.seed(2)
torch.manual_seed(2)
out = torch.zeros(0, 8)
for i in range(300):
    piece = torch.rand(4, 8) * i
    out = torch.cat([out, piece], dim=0)
rows = None
for k in range(500):
    row = np.random.rand(1, 32)
    rows = row if rows is None else np.vstack([rows, row])
values = np.array([0.5])
for k in range(1500):
    values = np.append(values, np.random.rand())
table = pd.DataFrame({"i": [0], "square": [0]})
for i in range(1200):
    table = pd.concat([table, pd.DataFrame({"i": [i], "square": [i * i]})], ignore_index=True)
sizes = (out.shape, rows.shape, values.shape, len(table), int(table["square"].sum()))

"""A temporal fusion transformer in small, GRU-D style decay for missing values, variable selection; records of patients as dictionaries."""
import collections
import csv
import io
import json
import random
from typing import Any
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F

RANDOM = random.Random(11)
VITALS = ["hr", "sbp", "temp", "spo2", "resp"]


def fake_csv(n=30, steps=10):
    out = io.StringIO()
    writer = csv.DictWriter(out, fieldnames=["id", "t", "age", "ward"] + VITALS)
    writer.writeheader()
    for i in range(n):
        age, ward = RANDOM.randint(20, 90), RANDOM.choice("ABC")
        for t in range(steps):
            row: dict[str, Any] = {"id": i, "t": t, "age": age, "ward": ward}
            for v in VITALS:
                row[v] = "" if RANDOM.random() < 0.3 else f"{RANDOM.gauss(0, 1):.3f}"
            writer.writerow(row)
    return out.getvalue()


def load(text, steps=10):
    grouped = collections.OrderedDict()
    for row in csv.DictReader(io.StringIO(text)):
        grouped.setdefault(row["id"], []).append(row)
    values = np.full((len(grouped), steps, len(VITALS)), np.nan, dtype=np.float32)  #! len(grouped), steps, len(VITALS) => len(grouped), len(VITALS), steps
    static = np.zeros((len(grouped), 2), dtype=np.float32)
    for i, rows in enumerate(grouped.values()):
        for row in rows:
            values[i, int(row["t"])] = [float(row[v]) if row[v] else np.nan for v in VITALS]
        static[i] = float(rows[0]["age"]) / 100, "ABC".index(rows[0]["ward"])
    return values, static


def with_deltas(values):
    """Mask, and the time since the last observation, per variable."""
    mask = ~np.isnan(values)
    delta = np.zeros_like(values)
    for t in range(1, values.shape[1]):
        delta[:, t] = 1 + np.where(mask[:, t - 1], 0, delta[:, t - 1])  #! mask[:, t - 1], 0 => mask[:, t - 1:], 0
    last = np.zeros_like(values)
    for t in range(values.shape[1]):
        previous = last[:, t - 1] if t else 0.0
        last[:, t] = np.where(mask[:, t], values[:, t], previous)
    return np.nan_to_num(last), mask.astype(np.float32), delta


class GLU(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.fc = nn.Linear(d, 2 * d)

    def forward(self, x):
        a, b = self.fc(x).chunk(2, -1)
        return a * b.sigmoid()


class GRN(nn.Module):
    def __init__(self, d_in, d, d_out=None, context=None):
        super().__init__()
        d_out = d_out or d
        self.skip = nn.Linear(d_in, d_out) if d_in != d_out else nn.Identity()  #! if d_in != d_out else nn.Identity() => if d_in == d_out else nn.Identity()
        self.a = nn.Linear(d_in, d)
        self.c = nn.Linear(context, d, bias=False) if context else None
        self.b = nn.Linear(d, d_out)
        self.glu, self.norm = GLU(d_out), nn.LayerNorm(d_out)  #! nn.LayerNorm(d_out) => nn.LayerNorm(d)

    def forward(self, x, context=None):
        h = self.a(x)
        if context is not None:
            if context.dim() < h.dim():
                context = context.unsqueeze(1)
            h = h + self.c(context)
        return self.norm(self.skip(x) + self.glu(self.b(F.elu(h))))


class VariableSelection(nn.Module):
    def __init__(self, n, d, context=None):
        super().__init__()
        self.each = nn.ModuleList([GRN(d, d) for _ in range(n)])
        self.weights = GRN(n * d, d, n, context)  #! GRN(n * d, d, n => GRN(n * d, d, n + 1

    def forward(self, x, context=None):
        w = self.weights(x.flatten(-2), context).softmax(-1).unsqueeze(-1)  #! x.flatten(-2) => x.flatten(1)
        h = torch.stack([g(x[..., i, :]) for i, g in enumerate(self.each)], dim=-2)
        return (w * h).sum(-2), w


class Decay(nn.Module):
    def __init__(self, n):
        super().__init__()
        self.rate = nn.Parameter(torch.full((n,), 0.1))

    def forward(self, x, mask, delta):
        gamma = torch.exp(-F.relu(self.rate) * delta)
        return mask * x + (1 - mask) * gamma * x


class TFT(nn.Module):
    def __init__(self, n_vars, n_wards=3, d=24, heads=4, quantiles=3):
        super().__init__()
        self.decay = Decay(n_vars)
        self.embed = nn.ModuleList(nn.Linear(2, d) for _ in range(n_vars))  #! nn.Linear(2, d) => nn.Linear(1, d)
        self.ward, self.age = nn.Embedding(n_wards, d), nn.Linear(1, d)
        self.static = VariableSelection(2, d)
        self.ctx = nn.ModuleDict({k: GRN(d, d) for k in ("select", "h", "c", "enrich")})
        self.select = VariableSelection(n_vars, d, context=d)
        self.lstm = nn.LSTM(d, d, batch_first=True)
        self.enrich = GRN(d, d, context=d)
        self.attn = nn.MultiheadAttention(d, heads, batch_first=True)  #! , batch_first=True) => )
        self.out = nn.Linear(d, quantiles)

    def forward(self, x, mask, delta, static):
        x = self.decay(x, mask, delta)
        pairs = torch.stack([x, mask], dim=-1)
        e = torch.stack([f(pairs[:, :, i]) for i, f in enumerate(self.embed)], dim=2)  #! pairs[:, :, i] => pairs[:, i]
        s, _ = self.static(torch.stack([self.ward(static[:, 1].long()), self.age(static[:, :1])], dim=1))
        c = {k: g(s) for k, g in self.ctx.items()}
        h, weights = self.select(e, c["select"])
        h, _ = self.lstm(h, (c["h"].unsqueeze(0), c["c"].unsqueeze(0)))  #! c["h"].unsqueeze(0) => c["h"].unsqueeze(1)
        h = self.enrich(h, c["enrich"])
        T = h.size(1)
        causal = torch.ones(T, T, dtype=torch.bool).triu(1)
        a, attention = self.attn(h, h, h, attn_mask=causal)
        return self.out(h + a), {"weights": weights.squeeze(-1), "attention": attention}


values, static = load(fake_csv())
last, mask, delta = with_deltas(values)
tensors = [torch.from_numpy(a) for a in (last, mask, delta, static)]
perm = torch.randperm(tensors[0].size(0))
train_idx, test_idx = perm[:24], perm[24:]
model = TFT(len(VITALS))
opt = torch.optim.RAdam(model.parameters(), lr=2e-3)
q = torch.tensor([0.1, 0.5, 0.9])
for epoch in range(2):
    for idx in train_idx.split(8):
        batch = [t[idx] for t in tensors]
        out, info = model(*batch)
        target = batch[0][:, 1:, 0]
        err = target.unsqueeze(-1) - out[:, :-1]  #! out[:, :-1] => out
        loss = torch.max(q * err, (q - 1) * err).sum(-1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
reveal_type(out[0])
reveal_type(info["weights"][0])
reveal_type(info["attention"][0])
with torch.no_grad():
    out, info = model(*(t[test_idx] for t in tensors))
importance = {name: round(w, 3) for name, w in zip(VITALS, info["weights"].mean((0, 1)).tolist())}
print(json.dumps(importance))
reveal_type(out[..., 1][0])

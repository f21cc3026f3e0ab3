"""Recommendation: MovieLens-like CSV, negative sampling, two-tower retrieval, SASRec, DIN attention, ranking metrics."""
import csv
import io
from collections import defaultdict
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import BatchSampler, DataLoader, Dataset, RandomSampler

TABLE = "user,item,rating\n" + "\n".join(f"{u},{(u * 7 + k * 3) % 40},{1 + (u + k) % 5}" for u in range(12) for k in range(15))


def read_rows(text):
    return [(int(r["user"]), int(r["item"]), float(r["rating"])) for r in csv.DictReader(io.StringIO(text))]


class Sequences(Dataset):
    def __init__(self, rows, n_items, max_len=10):
        self.n_items, self.max_len = n_items, max_len
        history = defaultdict(list)
        for u, i, _ in rows:
            history[u].append(i + 1)
        self.history = dict(history)
        self.users = sorted(self.history)

    def __len__(self):
        return len(self.users)

    def __getitem__(self, index):
        items = self.history[self.users[index]]
        seq, pos, neg = (np.zeros(self.max_len, dtype=np.int64) for _ in range(3))
        nxt, idx = items[-1], self.max_len - 1
        for i in reversed(items[:-1]):
            seq[idx], pos[idx] = i, nxt
            neg[idx] = np.random.randint(1, self.n_items + 1)
            nxt, idx = i, idx - 1
            if idx < 0:
                break
        return index, seq, pos, neg


class PointWise(nn.Module):
    def __init__(self, d):
        super().__init__()
        self.c1, self.c2 = nn.Conv1d(d, d, 1), nn.Conv1d(d, d, 1)

    def forward(self, x):
        return self.c2(F.relu(self.c1(x.transpose(-1, -2)))).transpose(-1, -2) + x  #! self.c1(x.transpose(-1, -2)) => self.c1(x)


class SASRec(nn.Module):
    def __init__(self, n_items, d=24, max_len=10, blocks=2, heads=2):
        super().__init__()
        self.items = nn.Embedding(n_items + 1, d, padding_idx=0)
        self.pos = nn.Embedding(max_len, d)
        self.norms, self.attns, self.ffs = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        for _ in range(blocks):
            self.norms.append(nn.LayerNorm(d, eps=1e-8))
            self.attns.append(nn.MultiheadAttention(d, heads, 0.1))  #! d, heads, 0.1 => d, 5, 0.1
            self.ffs.append(PointWise(d))
        self.last = nn.LayerNorm(d)

    def log2feats(self, seq):
        x = self.items(seq) * self.items.embedding_dim ** 0.5
        x = x + self.pos(torch.arange(seq.size(1)).expand_as(seq))  #! torch.arange(seq.size(1)) => torch.arange(seq.size(0))
        t = seq.size(1)
        causal = ~torch.tril(torch.ones(t, t, dtype=torch.bool))  #! torch.ones(t, t, => torch.ones(t, t + 1,
        for norm, attn, ff in zip(self.norms, self.attns, self.ffs):
            x = x.transpose(0, 1)
            y, _ = attn(norm(x), x, x, attn_mask=causal)
            x = (norm(x) + y).transpose(0, 1)  #! (norm(x) + y).transpose(0, 1) => norm(x) + y
            x = ff(x) * (seq != 0).unsqueeze(-1)  #! (seq != 0).unsqueeze(-1) => (seq != 0)
        return self.last(x)

    def forward(self, seq, pos, neg):
        h = self.log2feats(seq)
        return (h * self.items(pos)).sum(-1), (h * self.items(neg)).sum(-1)

    def predict(self, seq, candidates):
        h = self.log2feats(seq)[:, -1]
        return self.items(candidates).matmul(h.unsqueeze(-1)).squeeze(-1)  #! h.unsqueeze(-1) => h


class DIN(nn.Module):
    def __init__(self, n_items, d=8):
        super().__init__()
        self.items = nn.Embedding(n_items + 1, d)
        self.att = nn.Sequential(nn.Linear(4 * d, 16), nn.PReLU(), nn.Linear(16, 1))
        self.mlp = nn.Sequential(nn.Linear(2 * d, 16), nn.PReLU(), nn.Linear(16, 1))  #! nn.Linear(2 * d, 16) => nn.Linear(3 * d, 16)

    def forward(self, hist, target):
        k, q = self.items(hist), self.items(target)
        q2 = q.unsqueeze(1).expand_as(k)  #! q.unsqueeze(1) => q
        a = self.att(torch.cat([q2, k, q2 - k, q2 * k], -1))
        a = a.transpose(1, 2).masked_fill((hist == 0).unsqueeze(1), 0)
        pooled = torch.bmm(a, k).squeeze(1)
        return self.mlp(torch.cat([pooled, q], 1)).squeeze(1)


class TwoTower(nn.Module):
    def __init__(self, users, items, d=16):
        super().__init__()
        tower = lambda n: nn.Sequential(nn.Embedding(n, d), nn.Linear(d, d), nn.Tanh())
        self.u, self.i = tower(users), tower(items)

    def forward(self, u, i):
        return self.u(u) @ self.i(i).t()  #! self.i(i).t() => self.i(i)


rows = read_rows(TABLE)
data = Sequences(rows, 40)
sampler = BatchSampler(RandomSampler(data), batch_size=4, drop_last=False)
loader = DataLoader(data, batch_sampler=sampler)
sas, din, tower = SASRec(40), DIN(40), TwoTower(12, 41)
opt = torch.optim.Adam([*sas.parameters(), *din.parameters(), *tower.parameters()], betas=(0.9, 0.98))
for u, seq, pos, neg in loader:
    p, n = sas(seq, pos, neg)
    keep = torch.where(pos != 0)
    loss = F.binary_cross_entropy_with_logits(p[keep], torch.ones_like(p)[keep]) + F.binary_cross_entropy_with_logits(n[keep], torch.zeros_like(n)[keep])
    loss = loss + F.binary_cross_entropy_with_logits(din(seq, pos[:, -1]), torch.ones(len(seq)))
    loss = loss + F.cross_entropy(tower(u, pos[:, -1]), torch.arange(len(u)))
    opt.zero_grad()
    loss.backward()
    opt.step()
reveal_type(seq)
reveal_type(p)
scores = sas.predict(seq, torch.arange(1, 41))
reveal_type(scores)
rank = (-scores).argsort(1).argsort(1).gather(1, (pos[:, -1:] - 1))  #! pos[:, -1:] => pos[:, -1]
reveal_type(rank)
hit, ndcg = (rank < 10).float().mean(), torch.where(rank < 10, 1 / torch.log2(rank + 2.0), 0.0).mean()
matrix = torch.zeros(12, 40)
users, items, stars = (torch.tensor(c) for c in zip(*rows))
matrix[users, items] = stars
u, s, v = torch.linalg.svd(matrix, full_matrices=False)
approx = u[:, :6] @ torch.diag(s[:6]) @ v[:6]  #! @ v[:6] => @ v[:, :6]
reveal_type(approx)
topk = approx.topk(5).indices
hits = torch.zeros_like(matrix, dtype=torch.bool).scatter_(1, topk, True)
reveal_type(hits)

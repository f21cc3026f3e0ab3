"""Learning to rank: padded lists of documents, features normalised per query, a set encoder, ListNet, LambdaRank, NDCG, multi-gate experts."""
import csv
import io
import typing as tp
import numpy as np
import torch
from torch import nn
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader

N_FEATURES, MAX_DOCS = 9, 12


class Queries(Dataset):
    def __init__(self, n=24, seed=5):
        rng = np.random.default_rng(seed)
        self.lists = []
        w = rng.normal(size=N_FEATURES)
        for _ in range(n):
            docs = int(rng.integers(4, MAX_DOCS + 1))
            x = rng.normal(size=(docs, N_FEATURES))
            rel = np.digitize(x @ w, [-2, 0, 2])  #! x @ w => w @ x
            self.lists.append((x.astype(np.float32), rel.astype(np.int64)))

    def __len__(self):
        return len(self.lists)

    def __getitem__(self, i) -> tp.Dict[str, torch.Tensor]:
        x, rel = self.lists[i]
        x = (x - x.mean(axis=0)) / (x.std(axis=0) + 1e-6)
        pad = MAX_DOCS - len(x)
        return {
            "x": torch.from_numpy(np.pad(x, ((0, pad), (0, 0)))),  #! ((0, pad), (0, 0)) => ((0, pad), (0, pad))
            "y": torch.from_numpy(np.pad(rel, (0, pad), constant_values=-1)),
            "click": torch.from_numpy(np.pad((rel > 1).astype(np.float32), (0, pad)))}


class SetEncoder(nn.Module):
    def __init__(self, f, d=24, heads=3, layers=2):
        super().__init__()
        self.inp = nn.Linear(f, d)  #! nn.Linear(f, d) => nn.Linear(d, f)
        layer = nn.TransformerEncoderLayer(d, heads, 2 * d, dropout=0.0, batch_first=True, norm_first=True)
        self.enc = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        for l in self.enc.layers:
            l.linear1 = nn.utils.parametrizations.spectral_norm(l.linear1)

    def forward(self, x, pad):
        return self.enc(self.inp(x), src_key_padding_mask=pad)  #! src_key_padding_mask=pad => src_key_padding_mask=pad.t()


class MMoE(nn.Module):
    def __init__(self, d, experts=4, tasks=("rel", "click"), hidden=16):
        super().__init__()
        self.w1 = nn.Parameter(torch.randn(experts, d, hidden) * 0.1)  #! experts, d, hidden => experts, hidden, d
        self.w2 = nn.Parameter(torch.randn(experts, hidden, hidden) * 0.1)
        self.gates = nn.ModuleDict({t: nn.Linear(d, experts) for t in tasks})
        self.towers = nn.ModuleDict({t: nn.Sequential(nn.Linear(hidden, 8), nn.ReLU(), nn.Linear(8, 1)) for t in tasks})

    def forward(self, h):
        e = torch.relu(torch.einsum("bnd,edh->bneh", h, self.w1))
        e = torch.einsum("bneh,ehk->bnek", e, self.w2)  #! bneh,ehk->bnek => bneh,ehk->bnk
        out = {}
        for task, gate in self.gates.items():
            g = gate(h).softmax(-1)
            mixed = (g.unsqueeze(-1) * e).sum(2)  #! g.unsqueeze(-1) => g.unsqueeze(2)
            out[task] = self.towers[task](mixed).squeeze(-1)
        return out


class Ranker(nn.Module):
    def __init__(self, d=24):
        super().__init__()
        self.encoder, self.heads = SetEncoder(N_FEATURES, d), MMoE(d)

    def forward(self, batch):
        pad = batch["y"] < 0
        return self.heads(self.encoder(batch["x"], pad)), pad


def listnet(scores, y, pad):
    target = y.float().masked_fill(pad, float("-inf")).softmax(-1)
    logp = scores.masked_fill(pad, -1e9).log_softmax(-1)
    return -(target * logp).sum(-1).mean()


def dcg(gains, k=None):
    k = k or gains.size(-1)
    discount = 1.0 / torch.log2(torch.arange(k, dtype=torch.float) + 2)
    return (gains[..., :k] * discount).sum(-1)  #! gains[..., :k] * discount => gains[..., :k].unsqueeze(1) * discount[:-1]


def lambda_rank(scores, y, pad, sigma=1.0):
    gains = (2.0 ** y.clamp(min=0)) - 1
    gains = gains.masked_fill(pad, 0.0)
    ideal = dcg(gains.sort(descending=True).values).clamp(min=1e-6)
    ranks = scores.argsort(descending=True).argsort()
    disc = 1.0 / torch.log2(ranks.float() + 2)
    delta = (gains[:, :, None] - gains[:, None]).abs() * (disc[:, :, None] - disc[:, None]).abs() / ideal[:, None, None]  #! ideal[:, None, None] => ideal[:, None]
    better = (y[:, :, None] > y[:, None]) & ~pad[:, :, None] & ~pad[:, None]
    diff = scores[:, :, None] - scores[:, None, :]
    reveal_type(diff)
    return (F.softplus(-sigma * diff) * delta * better).sum() / better.sum().clamp(min=1)


def ndcg(scores, y, pad, k=5):
    order = scores.masked_fill(pad, -1e9).argsort(descending=True)
    gains = (2.0 ** y.clamp(min=0) - 1).masked_fill(pad, 0)
    got = dcg(gains.gather(1, order), k)  #! gains.gather(1, order) => gains.gather(1, order.unsqueeze(1))
    best = dcg(gains.sort(descending=True)[0], k)
    return got / best.clamp(min=1e-6)


torch.manual_seed(0)
train = Queries()
loader = DataLoader(train, batch_size=8, shuffle=True)
model = Ranker()
opt = torch.optim.AdamW(model.parameters(), lr=3e-3)
sched = torch.optim.lr_scheduler.CosineAnnealingLR(opt, T_max=6, eta_min=1e-5)
history = []
for epoch in range(2):
    for batch in loader:
        out, pad = model(batch)
        click = F.binary_cross_entropy_with_logits(out["click"], batch["click"], weight=(~pad).float())  #! weight=(~pad).float() => weight=(~pad).float()[:, :-1]
        loss = listnet(out["rel"], batch["y"], pad) + lambda_rank(out["rel"], batch["y"], pad) + click
        opt.zero_grad()
        loss.backward()
        opt.step()
    sched.step()
    history.append({"epoch": epoch, "loss": round(loss.item(), 4)})
reveal_type(batch["x"])
reveal_type(out["rel"])
with torch.no_grad():
    scores = torch.cat([ndcg(model(b)[0]["rel"], b["y"], b["y"] < 0) for b in loader])
reveal_type(scores)
log = io.StringIO()
writer = csv.DictWriter(log, fieldnames=list(history[0]))
writer.writeheader()
writer.writerows(history)
losses = np.genfromtxt(io.StringIO(log.getvalue()), delimiter=",", skip_header=1)
print(losses.shape)

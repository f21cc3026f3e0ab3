"""Multi-task learning: multi-gate mixture of experts and progressive layered extraction for tabular recommendation, uncertainty weights."""
from dataclasses import dataclass
from typing import Dict, List, Sequence

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


@dataclass(frozen=True)
class Sparse:
    name: str
    vocab: int
    dim: int = 8


@dataclass(frozen=True)
class Dense:
    name: str
    dim: int = 1


@dataclass(frozen=True)
class VarLen(Sparse):
    maxlen: int = 5
    combiner: str = "mean"


COLUMNS = [Sparse("user", 30), Sparse("item", 40), VarLen("history", 40), Dense("price"), Dense("stats", 3)]


class Clicks(Dataset):
    def __init__(self, columns, n=20):
        self.columns, self.n = columns, n

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        x = {}
        for c in self.columns:
            if isinstance(c, VarLen):
                x[c.name] = torch.randint(0, c.vocab, (c.maxlen,))
            elif isinstance(c, Sparse):
                x[c.name] = torch.randint(0, c.vocab, ())
            else:
                x[c.name] = torch.randn(c.dim)
        return x, {"click": torch.rand(()).round(), "buy": torch.rand(()).round(), "dwell": torch.rand(())}


class Features(nn.Module):
    def __init__(self, columns: Sequence):
        super().__init__()
        self.columns = columns
        self.embeddings = nn.ModuleDict({c.name: nn.Embedding(c.vocab, c.dim) for c in columns if isinstance(c, Sparse)})
        self.out_dim = sum(c.dim for c in columns)  #! sum(c.dim for c in columns) => sum(c.dim for c in columns if isinstance(c, Sparse))

    def forward(self, x: Dict[str, torch.Tensor]) -> torch.Tensor:
        parts = []
        for c in self.columns:
            if isinstance(c, VarLen):
                e = self.embeddings[c.name](x[c.name])
                mask = (x[c.name] != 0).float().unsqueeze(-1)  #! .unsqueeze(-1) => .unsqueeze(1)
                parts.append((e * mask).sum(1) / mask.sum(1).clamp(min=1))  #! (e * mask).sum(1) => (e * mask).sum(2)
            elif isinstance(c, Sparse):
                parts.append(self.embeddings[c.name](x[c.name]))
            else:
                parts.append(x[c.name])
        return torch.cat(parts, dim=-1)


def mlp(dims: List[int], final=False):
    layers = []
    for i, (a, b) in enumerate(zip(dims[:-1], dims[1:])):
        layers.append(nn.Linear(a, b))
        if not final or i < len(dims) - 2:
            layers += [nn.BatchNorm1d(b), nn.ReLU()]
    return nn.Sequential(*layers)


class MMoE(nn.Module):
    def __init__(self, in_dim, n_experts, expert_dims, n_tasks):
        super().__init__()
        self.experts = nn.ModuleList(mlp([in_dim, *expert_dims]) for _ in range(n_experts))
        self.gates = nn.ModuleList(nn.Linear(in_dim, n_experts) for _ in range(n_tasks))  #! nn.Linear(in_dim, n_experts) => nn.Linear(in_dim, n_tasks)
        self.out_dim = expert_dims[-1]

    def forward(self, x):
        experts = torch.stack([e(x) for e in self.experts], dim=1)
        outs = []
        for gate in self.gates:
            w = gate(x).softmax(-1)
            outs.append(torch.einsum("be,beh->bh", w, experts))  #! "be,beh->bh" => "be,bhe->bh"
        return outs


class CGC(nn.Module):
    """One layer of progressive extraction: experts of each task, and shared ones."""

    def __init__(self, in_dim, out_dim, n_tasks, n_specific=2, n_shared=1, is_last=False):
        super().__init__()
        self.n_tasks, self.is_last = n_tasks, is_last
        self.specific = nn.ModuleList(nn.ModuleList(mlp([in_dim, out_dim]) for _ in range(n_specific)) for _ in range(n_tasks))
        self.shared = nn.ModuleList(mlp([in_dim, out_dim]) for _ in range(n_shared))
        self.gates = nn.ModuleList(nn.Linear(in_dim, n_specific + n_shared) for _ in range(n_tasks))  #! n_specific + n_shared => n_specific
        if not is_last:
            self.shared_gate = nn.Linear(in_dim, n_tasks * n_specific + n_shared)

    def forward(self, inputs):
        specific = [[e(inputs[t]) for e in self.specific[t]] for t in range(self.n_tasks)]
        shared = [e(inputs[-1]) for e in self.shared]
        outs = []
        for t in range(self.n_tasks):
            stacked = torch.stack(specific[t] + shared, dim=1)
            gate = F.softmax(self.gates[t](inputs[t]), dim=1).unsqueeze(1)  #! .unsqueeze(1) => .unsqueeze(2)
            outs.append(torch.bmm(gate, stacked).squeeze(1))
        if not self.is_last:
            everything = torch.stack([e for group in specific for e in group] + shared, dim=1)
            gate = F.softmax(self.shared_gate(inputs[-1]), dim=1).unsqueeze(1)
            outs.append(torch.bmm(gate, everything).squeeze(1))
        return outs


class PLE(nn.Module):
    def __init__(self, in_dim, dims, n_tasks):
        super().__init__()
        self.n_tasks = n_tasks
        sizes = [in_dim] + list(dims)
        self.layers = nn.ModuleList(CGC(sizes[i], sizes[i + 1], n_tasks, is_last=i == len(dims) - 1) for i in range(len(dims)))  #! sizes[i], sizes[i + 1] => sizes[0], sizes[i + 1]
        self.out_dim = dims[-1]

    def forward(self, x):
        xs = [x] * (self.n_tasks + 1)
        for layer in self.layers:
            xs = layer(xs)
        return xs


class MultiTask(nn.Module):
    def __init__(self, columns, tasks, backbone="mmoe"):
        super().__init__()
        self.tasks = tasks
        self.features = Features(columns)
        width = self.features.out_dim
        self.backbone = {"mmoe": lambda: MMoE(width, 4, (32, 16), len(tasks)), "ple": lambda: PLE(width, (24, 16), len(tasks))}[backbone]()
        self.towers = nn.ModuleDict({t: mlp([self.backbone.out_dim, 8, 1], final=True) for t in tasks})  #! [self.backbone.out_dim, 8, 1] => [width, 8, 1]
        self.log_vars = nn.Parameter(torch.zeros(len(tasks)))

    def forward(self, x):
        outs = self.backbone(self.features(x))
        reveal_type(outs[0])
        return {t: self.towers[t](h).squeeze(-1) for t, h in zip(self.tasks, outs)}

    def loss(self, pred, target):
        losses = []
        for t, kind in self.tasks.items():
            fn = F.binary_cross_entropy_with_logits if kind == "binary" else F.mse_loss
            losses.append(fn(pred[t], target[t]))  #! fn(pred[t], target[t]) => fn(pred[t], target[t].unsqueeze(-1))
        losses = torch.stack(losses)
        reveal_type(losses)
        return (torch.exp(-self.log_vars) * losses + self.log_vars).sum()


TASKS = {"click": "binary", "buy": "binary", "dwell": "regression"}
loader = DataLoader(Clicks(COLUMNS), batch_size=10)
for backbone in ("mmoe", "ple"):
    model = MultiTask(COLUMNS, TASKS, backbone)
    optimizer = torch.optim.Adagrad(model.parameters(), lr=0.01)
    for x, y in loader:
        optimizer.zero_grad()
        pred = model(x)
        loss = model.loss(pred, y)
        loss.backward()
        optimizer.step()
    reveal_type(pred["buy"])

"""Molecule property regression: edge-conditioned message passing, GRU updates, Set2Set read-out, graphs batched by offsets."""
from dataclasses import dataclass
from typing import List
import torch
from torch import nn, Tensor
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset


@dataclass
class Graph:
    x: Tensor           # [atoms, features]
    edge_index: Tensor  # [2, bonds]
    edge_attr: Tensor   # [bonds, kinds]
    y: Tensor           # [targets]

    @property
    def num_nodes(self):
        return self.x.size(0)


@dataclass
class Batch(Graph):
    batch: Tensor
    num_graphs: int

    @classmethod
    def from_list(cls, graphs: List[Graph]) -> "Batch":
        sizes = torch.tensor([g.num_nodes for g in graphs])
        offsets = torch.cat([torch.zeros(1, dtype=torch.long), sizes.cumsum(0)[:-1]])
        edges = torch.cat([g.edge_index + o for g, o in zip(graphs, offsets)], dim=1)  #! dim=1 => dim=0
        return cls(
            x=torch.cat([g.x for g in graphs]),
            edge_index=edges,
            edge_attr=torch.cat([g.edge_attr for g in graphs], dim=0),
            y=torch.stack([g.y for g in graphs]),
            batch=torch.repeat_interleave(torch.arange(len(graphs)), sizes),
            num_graphs=len(graphs))


def scatter(src, index, dim_size, reduce="sum"):
    shape = (dim_size,) + src.shape[1:]
    if reduce == "sum":
        return src.new_zeros(shape).index_add(0, index, src)
    if reduce == "mean":
        total = src.new_zeros(shape).index_add(0, index, src)
        count = src.new_zeros(dim_size).index_add(0, index, torch.ones_like(index, dtype=src.dtype))
        return total / count.clamp(min=1).view(-1, *[1] * (src.dim() - 1))
    wide = index.view(-1, *[1] * (src.dim() - 1)).expand_as(src)
    return src.new_full(shape, float("-inf")).scatter_reduce(0, wide, src, reduce="amax")


def segment_softmax(score, index, n):
    top = scatter(score, index, n, "max")
    e = (score - top[index]).exp()
    return e / scatter(e, index, n)[index]


class NNConv(nn.Module):
    def __init__(self, dim, edge_dim):
        super().__init__()
        self.dim = dim
        self.edge_net = nn.Sequential(nn.Linear(edge_dim, 32), nn.ReLU(), nn.Linear(32, dim * dim))  #! dim * dim => dim
        self.root = nn.Linear(dim, dim, bias=False)

    def forward(self, h, edge_index, edge_attr):
        src, dst = edge_index
        weight = self.edge_net(edge_attr).view(-1, self.dim, self.dim)
        messages = torch.bmm(h[src].unsqueeze(1), weight).squeeze(1)  #! .unsqueeze(1), weight => .unsqueeze(2), weight
        return self.root(h) + scatter(messages, dst, h.size(0), "mean")


class Set2Set(nn.Module):
    def __init__(self, dim, steps):
        super().__init__()
        self.dim, self.steps = dim, steps
        self.lstm = nn.LSTM(2 * dim, dim)  #! nn.LSTM(2 * dim, dim) => nn.LSTM(dim, dim)

    def forward(self, x, batch, n):
        h = (x.new_zeros(1, n, self.dim), x.new_zeros(1, n, self.dim))
        q_star = x.new_zeros(n, 2 * self.dim)
        for _ in range(self.steps):
            q, h = self.lstm(q_star.unsqueeze(0), h)
            q = q.view(n, self.dim)
            a = segment_softmax((x * q[batch]).sum(-1, keepdim=True), batch, n)  #! q[batch] => q
            r = scatter(a * x, batch, n)
            q_star = torch.cat([q, r], dim=-1)
        return q_star


class MPNN(nn.Module):
    def __init__(self, in_dim, edge_dim, dim=24, rounds=3, targets=2):
        super().__init__()
        self.lin0 = nn.Linear(in_dim, dim)
        self.conv = NNConv(dim, edge_dim)
        self.gru = nn.GRU(dim, dim)
        self.set2set = Set2Set(dim, steps=3)
        self.lin1, self.lin2 = nn.Linear(2 * dim, dim), nn.Linear(dim, targets)  #! nn.Linear(2 * dim, dim) => nn.Linear(dim, dim)
        self.rounds = rounds

    def forward(self, data: Batch):
        out = F.relu(self.lin0(data.x))
        h = out.unsqueeze(0)
        for _ in range(self.rounds):
            m = F.relu(self.conv(out, data.edge_index, data.edge_attr))
            out, h = self.gru(m.unsqueeze(0), h)
            out = out.squeeze(0)
        reveal_type(out)
        out = self.set2set(out, data.batch, data.num_graphs)
        reveal_type(out)
        return self.lin2(F.relu(self.lin1(out)))


class Molecules(Dataset):
    def __init__(self, n, features=7, kinds=4):
        g = torch.Generator().manual_seed(n)
        self.graphs = []
        for i in range(n):
            atoms = 6
            src = torch.arange(atoms)
            ring = torch.stack([src, (src + 1) % atoms])
            both = torch.cat([ring, ring.flip(0)], dim=1)  #! ring.flip(0) => ring.t()
            attr = F.one_hot(torch.randint(kinds, (both.size(1),), generator=g), kinds).float()
            self.graphs.append(Graph(torch.randn(atoms, features, generator=g), both, attr, torch.randn(2, generator=g)))

    def __len__(self):
        return len(self.graphs)

    def __getitem__(self, i):
        return self.graphs[i]


loader = DataLoader(Molecules(20), batch_size=5, shuffle=True, collate_fn=Batch.from_list)
model = MPNN(7, 4)  #! MPNN(7, 4) => MPNN(7, 5)
opt = torch.optim.Adam(model.parameters(), lr=1e-3)
sched = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, mode="min", factor=0.7, patience=5, min_lr=1e-5)
for epoch in range(2):
    total = 0.0
    for data in loader:
        opt.zero_grad()
        pred = model(data)
        loss = F.mse_loss(pred, data.y)
        loss.backward()
        total += loss.item() * data.num_graphs
        opt.step()
    sched.step(total / len(loader.dataset))
reveal_type(pred)
reveal_type(scatter(data.x, data.batch, data.num_graphs, "mean"))

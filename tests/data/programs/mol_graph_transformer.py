"""Property prediction on small graphs: graphs are joined with offsets, edges gate messages, and attention runs on dense padded nodes."""
from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Iterable, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor
from torch.utils.data import DataLoader, Dataset, random_split


@dataclass
class Graph:
    x: Tensor
    edge_index: Tensor
    edge_attr: Tensor
    y: Tensor
    batch: Optional[Tensor] = None

    @property
    def num_nodes(self) -> int:
        return self.x.size(0)

    def to(self, device):
        return Graph(**{f.name: None if getattr(self, f.name) is None else getattr(self, f.name).to(device) for f in fields(self)})

    @classmethod
    def join(cls, graphs: Iterable["Graph"]) -> "Graph":
        graphs = list(graphs)
        counts = torch.tensor([g.num_nodes for g in graphs])
        offsets = torch.cumsum(counts, 0) - counts
        return cls(
            x=torch.cat([g.x for g in graphs]),
            edge_index=torch.cat([g.edge_index + offset for g, offset in zip(graphs, offsets)], dim=1),
            edge_attr=torch.cat([g.edge_attr for g in graphs]),
            y=torch.stack([g.y for g in graphs]),
            batch=torch.repeat_interleave(torch.arange(len(graphs)), counts),
        )


class RandomMolecules(Dataset):
    ATOMS, BONDS, TASKS = 7, 4, 2

    def __init__(self, n: int, seed: int = 0):
        generator = torch.Generator().manual_seed(seed)
        self.graphs = [self._make(int(torch.randint(3, 9, (), generator=generator)), generator) for _ in range(n)]

    def _make(self, nodes, generator):
        source = torch.arange(nodes)
        ring = torch.stack([source, (source + 1) % nodes])
        edges = torch.cat([ring, ring.flip(0)], dim=1)
        atoms = torch.randint(self.ATOMS, (nodes,), generator=generator)
        bonds = torch.randint(self.BONDS, (edges.shape[1],), generator=generator)
        y = torch.stack([(atoms == a).float().mean() for a in range(self.TASKS)])
        return Graph(F.one_hot(atoms, self.ATOMS).float(), edges, F.one_hot(bonds, self.BONDS).float(), y)

    def __len__(self):
        return len(self.graphs)

    def __getitem__(self, i):
        return self.graphs[i]


def scatter_sum(src: Tensor, index: Tensor, size: int) -> Tensor:
    return src.new_zeros(size, *src.shape[1:]).index_add_(0, index, src)


def scatter_mean(src, index, size):
    count = scatter_sum(torch.ones_like(index, dtype=src.dtype), index, size).clamp(min=1)
    return scatter_sum(src, index, size) / count.unsqueeze(-1)  #! count.unsqueeze(-1) => count


def scatter_softmax(src, index, size):
    peak = torch.full((size, src.size(1)), float("-inf")).scatter_reduce(0, index[:, None].expand_as(src), src, "amax")
    weights = (src - peak[index]).exp()
    return weights / (scatter_sum(weights, index, size)[index] + 1e-9)  #! size)[index] => size)


def to_dense(x: Tensor, batch: Tensor, size: int):
    counts = torch.bincount(batch, minlength=size)
    starts = counts.cumsum(0) - counts
    longest = int(counts.max())
    position = torch.arange(len(x)) - starts[batch]
    dense = x.new_zeros(size, longest, x.size(-1))
    dense[batch, position] = x
    mask = torch.arange(longest)[None] < counts[:, None]
    return dense, mask


class GatedEdgeConv(nn.Module):
    def __init__(self, dim, edge_dim, heads=2):
        super().__init__()
        self.heads = heads
        self.value = nn.Linear(dim, dim)
        self.edge = nn.Linear(edge_dim, dim)  #! nn.Linear(edge_dim, dim) => nn.Linear(edge_dim, edge_dim)
        self.score = nn.Linear(3 * dim, heads)  #! nn.Linear(3 * dim, heads) => nn.Linear(2 * dim, heads)
        self.update = nn.GRUCell(dim, dim)

    def forward(self, x, edge_index, edge_attr):
        source, target = edge_index
        e = self.edge(edge_attr)
        alpha = scatter_softmax(F.leaky_relu(self.score(torch.cat([x[source], x[target], e], dim=-1)), 0.2), target, x.size(0))
        message = (self.value(x)[source] + e).view(-1, self.heads, x.size(1) // self.heads)
        message = (message * alpha.unsqueeze(-1)).flatten(1)  #! alpha.unsqueeze(-1) => alpha.unsqueeze(1)
        return self.update(scatter_sum(message, target, x.size(0)), x), e


class GPSLayer(nn.Module):
    def __init__(self, dim, edge_dim, heads=4):
        super().__init__()
        self.local = GatedEdgeConv(dim, edge_dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.ff = nn.Sequential(nn.Linear(dim, 2 * dim), nn.ReLU(), nn.Linear(2 * dim, dim))
        self.norms = nn.ModuleDict({name: nn.BatchNorm1d(dim) for name in ("local", "attn", "ff")})

    def forward(self, g: Graph, x, e):
        local, e = self.local(x, g.edge_index, e)
        dense, mask = to_dense(x, g.batch, len(g.y))
        attended, _ = self.attn(dense, dense, dense, key_padding_mask=~mask, need_weights=False)  #! key_padding_mask=~mask => key_padding_mask=~mask.T
        h = self.norms["local"](x + local) + self.norms["attn"](x + attended[mask])  #! attended[mask] => attended.flatten(0, 1)
        return self.norms["ff"](h + self.ff(h)), e


class GraphPredictor(nn.Module):
    def __init__(self, atoms, bonds, tasks, dim=32, depth=3):
        super().__init__()
        self.atom = nn.Linear(atoms, dim)
        self.virtual = nn.Embedding(1, dim)
        widths = [bonds] + [dim] * (depth - 1)
        self.layers = nn.ModuleList([GPSLayer(dim, w) for w in widths])
        self.virtual_mlp = nn.ModuleList([nn.Linear(dim, dim) for _ in range(depth - 1)])
        self.readout = nn.Sequential(nn.LazyLinear(dim), nn.ReLU(), nn.Linear(dim, tasks))

    def forward(self, g: Graph):
        size = len(g.y)
        x, e = self.atom(g.x), g.edge_attr
        virtual = self.virtual(torch.zeros(size, dtype=torch.long))
        for i, layer in enumerate(self.layers):
            x, e = layer(g, x + virtual[g.batch], e)  #! x + virtual[g.batch] => x + virtual
            if i < len(self.virtual_mlp):
                virtual = virtual + F.relu(self.virtual_mlp[i](scatter_sum(x, g.batch, size) + virtual))
        pooled = torch.cat([scatter_sum(x, g.batch, size), scatter_mean(x, g.batch, size), virtual], dim=1)
        reveal_type(pooled)
        return self.readout(pooled)


def run(model, loader, optimizer=None):
    model.train(optimizer is not None)
    total, seen = 0.0, 0
    for g in loader:
        g = g.to("cpu")
        with torch.set_grad_enabled(optimizer is not None):
            pred = model(g)
            loss = F.smooth_l1_loss(pred, g.y)  #! F.smooth_l1_loss(pred, g.y) => F.cross_entropy(pred, g.y[:, :1])
        if optimizer is not None:
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        total, seen = total + loss.item() * len(g.y), seen + len(g.y)
    return total / seen, pred


def main():
    torch.manual_seed(0)
    data = RandomMolecules(26)
    train, valid, test = random_split(data, [0.7, 0.15, 0.15], generator=torch.Generator().manual_seed(1))
    loaders = [DataLoader(part, batch_size=6, shuffle=part is train, collate_fn=Graph.join) for part in (train, valid, test)]
    model = GraphPredictor(data.ATOMS, data.BONDS, data.TASKS)
    first = next(iter(loaders[0]))
    with torch.no_grad():
        reveal_type(model(first))
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for epoch in range(2):
        train_loss, _ = run(model, loaders[0], optimizer)
        valid_loss, last = run(model, loaders[1])
        print(epoch, train_loss, valid_loss)
    reveal_type(last)


if __name__ == "__main__":
    main()

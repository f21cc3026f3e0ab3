"""Message passing with index_add and scatter_reduce, batched graphs by offsets, edge softmax, readout per graph, bincount of degrees."""
import argparse
import random
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.utils.data import DataLoader, Dataset


class Graph(NamedTuple):
    x: Tensor
    edge_index: Tensor
    edge_attr: Tensor
    y: Tensor


class GraphBatch(NamedTuple):
    x: Tensor
    edge_index: Tensor
    edge_attr: Tensor
    batch: Tensor
    y: Tensor


class Molecules(Dataset):
    def __init__(self, size, features, bonds):
        self.graphs = [self.make(features, bonds) for _ in range(size)]

    @staticmethod
    def make(features, bonds):
        n = random.randint(4, 12)
        m = random.randint(n, 3 * n)
        return Graph(torch.randn(n, features), torch.randint(0, n, (2, m)), torch.randn(m, bonds), torch.rand(1))  #! (2, m) => (m, 2)

    def __len__(self):
        return len(self.graphs)

    def __getitem__(self, i):
        return self.graphs[i]


def collate(graphs):
    offsets = torch.tensor([0] + [g.x.size(0) for g in graphs]).cumsum(0)
    edges = torch.cat([g.edge_index + offsets[i] for i, g in enumerate(graphs)], dim=1)  #! dim=1 => dim=0
    batch = torch.cat([torch.full((g.x.size(0),), i) for i, g in enumerate(graphs)])
    return GraphBatch(torch.cat([g.x for g in graphs]), edges, torch.cat([g.edge_attr for g in graphs]), batch, torch.stack([g.y for g in graphs]))  #! torch.stack([g.y => torch.cat([g.y


def segment_softmax(score, index, n):
    top = torch.full((n, score.size(1)), float("-inf")).scatter_reduce(0, index[:, None].expand_as(score), score, "amax")  #! index[:, None].expand_as(score) => index.expand_as(score)
    e = (score - top[index]).exp()
    return e / (torch.zeros(n, score.size(1)).index_add(0, index, e)[index] + 1e-9)


class EdgeAttention(nn.Module):
    def __init__(self, dim, bonds, heads):
        super().__init__()
        self.heads, self.d = heads, dim // heads
        self.q, self.k, self.v = nn.Linear(dim, dim), nn.Linear(dim, dim), nn.Linear(dim, dim)
        self.bond = nn.Linear(bonds, heads)  #! bonds, heads => bonds, dim
        self.out = nn.Sequential(nn.Linear(2 * dim, dim), nn.SiLU(), nn.Linear(dim, dim))  #! 2 * dim, dim => dim, dim
        self.norm = nn.BatchNorm1d(dim)

    def forward(self, x, edge_index, edge_attr):
        src, dst = edge_index
        q = self.q(x).view(-1, self.heads, self.d)
        k = self.k(x).view(-1, self.heads, self.d)
        v = self.v(x).view(-1, self.heads, self.d)
        score = (q[dst] * k[src]).sum(-1) / self.d ** 0.5 + self.bond(edge_attr)
        alpha = segment_softmax(score, dst, x.size(0))
        message = (alpha.unsqueeze(-1) * v[src]).flatten(1)  #! alpha.unsqueeze(-1) => alpha
        gathered = torch.zeros_like(x).index_add_(0, dst, message)  #! .index_add_(0, dst, message) => .index_add_(1, dst, message)
        return self.norm(x + self.out(torch.cat([x, gathered], dim=-1)))


class Net(nn.Module):
    def __init__(self, features, bonds, dim, layers, heads):
        super().__init__()
        self.inp = nn.Linear(features + 1, dim)  #! features + 1 => features
        self.layers = nn.ModuleList([EdgeAttention(dim, bonds, heads) for _ in range(layers)])
        self.gate = nn.Linear(dim, 1)
        self.head = nn.Linear(3 * dim, 1)

    def forward(self, g: GraphBatch):
        n, graphs = g.x.shape[0], g.y.shape[0]
        degree = torch.bincount(g.edge_index[1], minlength=n).float().log1p()
        x = self.inp(torch.cat([g.x, degree.unsqueeze(1)], dim=1))  #! degree.unsqueeze(1) => degree
        for layer in self.layers:
            x = layer(x, g.edge_index, g.edge_attr)
        total = x.new_zeros(graphs, x.size(1)).index_add(0, g.batch, x)
        count = torch.bincount(g.batch, minlength=graphs).clamp(min=1).unsqueeze(-1)
        gate = segment_softmax(self.gate(x), g.batch, graphs)
        weighted = x.new_zeros(graphs, x.size(1)).index_add(0, g.batch, gate * x)
        return self.head(torch.cat([total, total / count, weighted], dim=1))  #! [total, total / count, weighted] => [total, weighted]


def parse():
    p = argparse.ArgumentParser()
    p.add_argument("--dim", type=int, default=32)
    p.add_argument("--heads", type=int, default=4)
    p.add_argument("--layers", type=int, default=2)
    p.add_argument("--batch-size", type=int, default=8)
    return p.parse_args()


def main():
    args = parse()
    data = Molecules(36, 9, 4)
    loader = DataLoader(data, args.batch_size, shuffle=True, collate_fn=collate)
    net = Net(9, 4, args.dim, args.layers, args.heads)
    opt = torch.optim.Adam(net.parameters(), lr=3e-3)
    for graph in loader:
        pred = net(graph)
        loss = nn.functional.l1_loss(pred, graph.y)
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    one = collate([data[0], data[1], data[2]])
    out = net(one)
    reveal_type(out)
    reveal_type(one.y)
    sizes = torch.unique_consecutive(one.batch, return_counts=True)[1]
    nodes = one.x.split(sizes.tolist())
    padded = nn.utils.rnn.pad_sequence(nodes, batch_first=True)
    mask = torch.arange(padded.size(1))[None] < sizes[:, None]
    flat = padded[mask]
    print((flat - one.x).abs().max(), padded.shape)
    repeated = torch.repeat_interleave(out, sizes, dim=0)
    print((repeated * one.x).mean())


if __name__ == "__main__":
    main()

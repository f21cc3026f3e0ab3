"""Graph classification from scratch: batching of graphs, GIN and GraphSAGE by registry, top-k pooling, scatter helpers."""
from typing import NamedTuple
import torch
import torch.nn as nn
import torch.nn.functional as F

REGISTRY = {}


def register(name):
    def wrap(cls):
        REGISTRY[name] = cls
        return cls
    return wrap


class Graph(NamedTuple):
    x: torch.Tensor
    edge_index: torch.Tensor
    y: int


class Batch(NamedTuple):
    x: torch.Tensor
    edge_index: torch.Tensor
    batch: torch.Tensor
    y: torch.Tensor


def scatter_sum(src, index, size):
    out = src.new_zeros(size, src.size(1))
    return out.index_add_(0, index, src)  #! index_add_(0, index, src) => index_add_(1, index, src)


def scatter_mean(src, index, size):
    count = torch.bincount(index, minlength=size).clamp(min=1).to(src.dtype)
    return scatter_sum(src, index, size) / count[:, None]  #! count[:, None] => count


def make_graph(n, f, e, y):
    return Graph(torch.randn(n, f), torch.randint(0, n, (2, e)), y)


def collate(graphs):
    sizes = torch.tensor([g.x.size(0) for g in graphs])
    offsets = torch.cumsum(sizes, 0) - sizes
    x = torch.cat([g.x for g in graphs])
    edges = torch.cat([g.edge_index + o for g, o in zip(graphs, offsets)], dim=1)  #! dim=1 => dim=0
    batch = torch.repeat_interleave(torch.arange(len(graphs)), sizes)
    return Batch(x, edges, batch, torch.tensor([g.y for g in graphs]))


@register("gin")
class GINConv(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.eps = nn.Parameter(torch.zeros(1))
        self.mlp = nn.Sequential(nn.Linear(cin, cout), nn.ReLU(), nn.Linear(cout, cout))

    def forward(self, x, edge_index):
        src, dst = edge_index
        agg = torch.zeros_like(x).index_add(0, dst, x[src])
        return self.mlp((1 + self.eps) * x + agg)


@register("sage")
class SAGEConv(nn.Module):
    def __init__(self, cin, cout):
        super().__init__()
        self.own, self.other = nn.Linear(cin, cout), nn.Linear(cin, cout, bias=False)  #! nn.Linear(cin, cout, bias=False) => nn.Linear(cout, cout, bias=False)

    def forward(self, x, edge_index):
        src, dst = edge_index
        return self.own(x) + self.other(scatter_mean(x[src], dst, x.size(0)))


class TopK(nn.Module):
    def __init__(self, dim, k):
        super().__init__()
        self.k, self.p = k, nn.Parameter(torch.randn(dim))

    def forward(self, x, batch, groups):
        score = (x @ self.p) / self.p.norm()  #! x @ self.p => self.p @ x
        rows = []
        for g in range(groups):
            ids = (batch == g).nonzero().squeeze(1)
            top = score[ids].topk(min(self.k, ids.numel())).indices
            picked = x[ids[top]] * torch.tanh(score[ids[top]]).unsqueeze(-1)  #! .unsqueeze(-1) => 
            rows.append(F.pad(picked, (0, 0, 0, self.k - picked.size(0))))  #! (0, 0, 0, self.k - picked.size(0)) => (0, self.k - picked.size(0))
        return torch.stack(rows)


class Net(nn.Module):
    def __init__(self, kind, cin, hidden, layers, classes, k=5):
        super().__init__()
        dims = [cin] + [hidden] * layers
        self.convs = nn.ModuleList(REGISTRY[kind](a, b) for a, b in zip(dims, dims[1:]))
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in range(layers))
        self.jump = nn.Linear(hidden * layers, hidden)  #! hidden * layers => hidden
        self.pool = TopK(hidden, k)
        self.head = nn.Sequential(nn.Flatten(), nn.Linear(k * hidden, classes))

    def forward(self, data):
        x, outs = data.x, []
        for conv, norm in zip(self.convs, self.norms):
            x = F.relu(norm(conv(x, data.edge_index)))
            outs.append(x)
        x = self.jump(torch.cat(outs, dim=-1))
        g = int(data.batch.max()) + 1
        return self.head(self.pool(x, data.batch, g)), scatter_mean(x, data.batch, g)


graphs = [make_graph(n, 6, 3 * n, y) for n, y in [(5, 0), (9, 1), (3, 2), (7, 1)]]
data = collate(graphs)
reveal_type(data.x)
reveal_type(data.edge_index)
reveal_type(data.batch)
for kind in ("gin", "sage"):
    net = Net(kind, 6, 16, 3, 3)  #! kind, 6, 16 => kind, 8, 16
    opt = torch.optim.Adam(net.parameters())
    logits, mean = net(data)
    loss = F.cross_entropy(logits, data.y)  #! F.cross_entropy(logits, data.y) => F.cross_entropy(logits, data.batch)
    loss.backward()
    opt.step()
    reveal_type(mean)
adj = torch.sparse_coo_tensor(data.edge_index, torch.ones(data.edge_index.size(1)), (24, 24))
deg = torch.sparse.sum(adj, dim=1).to_dense()
reveal_type(deg)
smooth = torch.sparse.mm(adj, data.x) / deg.clamp(min=1).unsqueeze(1)
reveal_type(smooth)

"""Message passing without a graph library: GCN, GAT with an edge softmax by scatter, batched graphs and pooling."""
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader


class Graph:
    def __init__(self, x, edge_index, y):
        self.x, self.edge_index, self.y = x, edge_index, y

    @property
    def num_nodes(self):
        return self.x.size(0)


class Batch(Graph):
    def __init__(self, graphs):
        xs, edges, ys, which, offset = [], [], [], [], 0
        for i, g in enumerate(graphs):
            xs.append(g.x)
            edges.append(g.edge_index + offset)
            ys.append(g.y)
            which.append(torch.full((g.num_nodes,), i, dtype=torch.long))
            offset += g.num_nodes
        super().__init__(torch.cat(xs), torch.cat(edges, dim=1), torch.stack(ys))
        self.batch = torch.cat(which)
        self.num_graphs = len(graphs)


def scatter_sum(src, index, size):
    out = src.new_zeros((size,) + src.shape[1:])
    return out.index_add_(0, index, src)


def scatter_mean(src, index, size):
    total = scatter_sum(src, index, size)
    count = scatter_sum(torch.ones_like(index, dtype=src.dtype), index, size)
    return total / count.clamp(min=1).unsqueeze(-1)


def edge_softmax(scores, index, size):
    top = torch.full((size, scores.size(1)), float("-inf"))
    top = top.scatter_reduce(0, index[:, None].expand_as(scores), scores, reduce="amax", include_self=False)
    exp = (scores - top[index]).exp()
    return exp / (scatter_sum(exp, index, size)[index] + 1e-12)


def add_self_loops(edge_index, n):
    loops = torch.arange(n).unsqueeze(0).repeat(2, 1)
    return torch.cat([edge_index, loops], dim=1)


class GCNConv(nn.Module):
    def __init__(self, d_in, d_out):
        super().__init__()
        self.lin = nn.Linear(d_in, d_out, bias=False)
        self.bias = nn.Parameter(torch.zeros(d_out))

    def forward(self, x, edge_index):
        n = x.size(0)
        src, dst = add_self_loops(edge_index, n)
        deg = torch.zeros(n).scatter_add_(0, dst, torch.ones(dst.size(0)))
        norm = deg.pow(-0.5)
        weight = norm[src] * norm[dst]
        message = self.lin(x)[src] * weight.unsqueeze(1)  #! weight.unsqueeze(1) => weight.view(1, -1, 1)
        return scatter_sum(message, dst, n) + self.bias


class GATConv(nn.Module):
    def __init__(self, d_in, d_out, heads=4, concat=True):
        super().__init__()
        self.heads, self.d_out, self.concat = heads, d_out, concat
        self.lin = nn.Linear(d_in, heads * d_out)
        self.att_src = nn.Parameter(torch.empty(1, heads, d_out))
        self.att_dst = nn.Parameter(torch.empty(1, heads, d_out))
        nn.init.xavier_uniform_(self.att_src)
        nn.init.xavier_uniform_(self.att_dst)

    def forward(self, x, edge_index):
        src, dst = edge_index
        h = self.lin(x).view(-1, self.heads, self.d_out)
        a = (h * self.att_src).sum(-1)[src] + (h * self.att_dst).sum(-1)[dst]
        alpha = edge_softmax(F.leaky_relu(a, 0.2), dst, x.size(0))
        out = scatter_sum(h[src] * alpha.unsqueeze(-1), dst, x.size(0))
        return out.flatten(1) if self.concat else out.mean(dim=1)


class Net(nn.Module):
    def __init__(self, d_in, hidden, classes):
        super().__init__()
        self.convs = nn.ModuleList([GCNConv(d_in, hidden), GATConv(hidden, hidden // 4, heads=4), GATConv(hidden, hidden, heads=2, concat=False)])  #! GATConv(hidden, hidden, heads=2, concat=False) => GATConv(hidden, hidden, heads=2)
        self.norms = nn.ModuleList(nn.LayerNorm(hidden) for _ in self.convs)
        self.readout = nn.Sequential(nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Linear(hidden, classes))

    def forward(self, data):
        x = data.x
        for conv, norm in zip(self.convs, self.norms):
            x = F.elu(norm(conv(x, data.edge_index)))
        pooled = torch.cat([scatter_mean(x, data.batch, data.num_graphs), scatter_sum(x, data.batch, data.num_graphs)], dim=1)
        return self.readout(pooled)


def random_graph(rng, d=6):
    n = int(rng.integers(4, 9))
    m = 2 * n
    edges = torch.from_numpy(rng.integers(0, n, size=(2, m)))
    return Graph(torch.from_numpy(rng.normal(size=(n, d))).float(), edges, torch.tensor(int(rng.integers(0, 3))))


rng = np.random.default_rng(0)
graphs = [random_graph(rng) for _ in range(22)]
loader = DataLoader(graphs, batch_size=8, shuffle=True, collate_fn=Batch)
model = Net(6, 16, 3)
optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
for epoch in range(2):
    for batch in loader:
        optimizer.zero_grad()
        out = model(batch)
        loss = F.cross_entropy(out, batch.y)  #! out, batch.y => out.t(), batch.y
        loss.backward()
        optimizer.step()

x = torch.randn(5, 6)
ring = torch.tensor([[0, 1, 2, 3, 4], [1, 2, 3, 4, 0]])
h = model.convs[0](x, ring)
reveal_type(h)
g = model.convs[1](h, ring)
reveal_type(g)
reveal_type(model.convs[2](g, ring))
pair = Batch([Graph(x, ring, torch.tensor(0)), Graph(x[:3], ring[:, :2], torch.tensor(2))])
reveal_type(pair.x)
reveal_type(pair.edge_index)
reveal_type(model(pair))
adj = torch.zeros(5, 5)
adj[ring[0], ring[1]] = 1.0
two_hop = adj @ adj @ x  #! @ x => @ x.t()
reveal_type(two_hop)

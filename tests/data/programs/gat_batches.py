"""Graph attention on batches of small graphs: offsets of edges, softmax per node by scatter, pooling by graph."""
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, random_split


class Data:
    def __init__(self, x=None, edge_index=None, y=None, **extra):
        self.x, self.edge_index, self.y = x, edge_index, y
        for key, value in extra.items():
            setattr(self, key, value)

    @property
    def num_nodes(self):
        return self.x.size(0)

    @property
    def num_edges(self):
        return self.edge_index.size(1)


class Rings(Dataset):
    """Rings of 8 nodes with two chords each."""

    def __init__(self, count, features=6):
        self.count, self.features = count, features

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        nodes = torch.arange(8)
        ring = torch.stack([nodes, (nodes + 1) % 8])
        chords = torch.randint(8, (2, 2), generator=g)
        edges = torch.cat([ring, chords], dim=1)  #! dim=1) => dim=0)
        edges = torch.cat([edges, edges.flip(0)], dim=1)
        return Data(torch.randn(8, self.features, generator=g), edges, torch.tensor(i % 3), name=f"ring{i}")


def batch_graphs(graphs):
    offset, edges, index = 0, [], []
    for i, graph in enumerate(graphs):
        edges.append(graph.edge_index + offset)
        index.append(torch.full((graph.num_nodes,), i, dtype=torch.long))
        offset += graph.num_nodes
    x = torch.cat([g.x for g in graphs])
    return Data(x, torch.cat(edges, dim=1), torch.stack([g.y for g in graphs]), batch=torch.cat(index), num_graphs=len(graphs))


def scatter_softmax(src, index, num_nodes):
    expanded = index[:, None].expand_as(src)
    top = torch.full((num_nodes, src.size(1)), float("-inf")).scatter_reduce(0, expanded, src, reduce="amax", include_self=True)
    out = (src - top[index]).exp()  #! top[index] => top
    total = torch.zeros(num_nodes, src.size(1)).scatter_add_(0, expanded, out)
    return out / (total[index] + 1e-16)


class GATConv(nn.Module):
    def __init__(self, inp, out, heads=1, concat=True, negative_slope=0.2):
        super().__init__()
        self.heads, self.out, self.concat, self.slope = heads, out, concat, negative_slope
        self.lin = nn.Linear(inp, heads * out, bias=False)
        self.att_src = nn.Parameter(torch.empty(1, heads, out))
        self.att_dst = nn.Parameter(torch.empty(1, heads, out))
        self.bias = nn.Parameter(torch.zeros(heads * out if concat else out))
        self.reset_parameters()

    def reset_parameters(self):
        for p in (self.lin.weight, self.att_src, self.att_dst):
            nn.init.xavier_uniform_(p)

    def forward(self, x, edge_index):
        n = x.size(0)
        loops = torch.arange(n).unsqueeze(0).repeat(2, 1)
        src, dst = torch.cat([edge_index, loops], dim=1)
        h = self.lin(x).view(-1, self.heads, self.out)
        a_src = (h * self.att_src).sum(-1)
        a_dst = (h * self.att_dst).sum(dim=-1)  #! .sum(dim=-1) => .sum(dim=1)
        alpha = F.leaky_relu(a_src[src] + a_dst[dst], self.slope)
        alpha = scatter_softmax(alpha, dst, n)
        messages = h[src] * alpha.unsqueeze(-1)  #! alpha.unsqueeze(-1) => alpha
        out = torch.zeros(n, self.heads, self.out).index_add_(0, dst, messages)
        out = out.flatten(1) if self.concat else out.mean(1)
        return out + self.bias


class GraphNorm(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.weight, self.bias, self.scale = (nn.Parameter(f(dim)) for f in (torch.ones, torch.zeros, torch.ones))

    def forward(self, x, batch, num_graphs):
        count = torch.bincount(batch, minlength=num_graphs).clamp(min=1).unsqueeze(1)
        mean = torch.zeros(num_graphs, x.size(1)).index_add(0, batch, x) / count
        out = x - mean[batch] * self.scale
        var = torch.zeros(num_graphs, x.size(1)).index_add(0, batch, out**2) / count
        return self.weight * out / (var[batch] + 1e-5).sqrt() + self.bias


class GAT(nn.Module):
    def __init__(self, inp, hid, classes, heads=4, depth=3):
        super().__init__()
        dims = [inp] + [hid * heads] * (depth - 1)
        self.convs = nn.ModuleList([GATConv(d, hid, heads, concat=i < depth - 1) for i, d in enumerate(dims)])
        self.norms = nn.ModuleList([GraphNorm(d) for d in dims[1:] + [hid]])
        self.head = nn.Sequential(nn.Linear(2 * hid, hid), nn.ReLU(), nn.Linear(hid, classes))  #! 2 * hid, hid) => hid, hid)

    def forward(self, data):
        x = data.x
        for conv, norm in zip(self.convs, self.norms):
            x = F.elu(norm(conv(x, data.edge_index), data.batch, data.num_graphs))
        index = data.batch.view(-1, 1).expand(-1, x.size(-1))
        mean = x.new_zeros(data.num_graphs, x.size(-1)).scatter_reduce(0, index, x, reduce="mean", include_self=False)
        top = x.new_zeros(data.num_graphs, x.size(-1)).scatter_reduce(0, index, x, "amax", include_self=False)
        return self.head(torch.cat([mean, top], dim=-1))


def main():
    data = Rings(50)
    train, test = random_split(data, [40, 10], generator=torch.Generator().manual_seed(0))
    loader = DataLoader(train, batch_size=16, shuffle=True, collate_fn=batch_graphs)
    model = GAT(6, 8, 3)
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3, weight_decay=5e-4)
    for epoch in range(2):
        for graphs in loader:
            optimizer.zero_grad()
            out = model(graphs)
            loss = F.cross_entropy(out, graphs.y)
            loss.backward()
            optimizer.step()
    reveal_type(out)
    graphs = batch_graphs([test[i] for i in range(len(test))])
    reveal_type(graphs.edge_index)
    reveal_type(graphs.batch)
    accuracy = (model(graphs).argmax(-1) == graphs.y).float().mean()
    reveal_type(accuracy)


if __name__ == "__main__":
    main()

"""Graph convolution and attention by hand: scatter, index_add and segment softmax."""
import torch
import torch.nn as nn
import torch.nn.functional as F


def scatter_sum(src, index, dim_size):
    out = src.new_zeros(dim_size, *src.shape[1:])  #! *src.shape[1:] => *src.shape
    return out.index_add(0, index, src)


def segment_softmax(score, index, n):
    index_e = index.unsqueeze(-1).expand_as(score)
    m = torch.full((n, score.size(1)), float("-inf")).scatter_reduce(0, index_e, score, reduce="amax")
    e = (score - m[index]).exp()
    z = torch.zeros(n, score.size(1)).scatter_add(0, index_e, e)
    return e / z[index]


class GCNConv(nn.Module):
    def __init__(self, in_dim, out_dim):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(in_dim, out_dim))  #! in_dim, out_dim => out_dim, in_dim
        self.bias = nn.Parameter(torch.zeros(out_dim))
        nn.init.xavier_uniform_(self.weight)

    def forward(self, x, edge_index):
        n = x.size(0)
        loops = torch.arange(n).repeat(2, 1)
        edge_index = torch.cat([edge_index, loops], dim=1)  #! dim=1 => dim=0
        src, dst = edge_index
        deg = torch.zeros(n).scatter_add_(0, dst, torch.ones(dst.size(0)))
        norm = deg.pow(-0.5)[src] * deg.pow(-0.5)[dst]
        h = x @ self.weight
        messages = h[src] * norm.unsqueeze(-1)  #! norm.unsqueeze(-1) => norm
        return scatter_sum(messages, dst, n) + self.bias


class GATConv(nn.Module):
    def __init__(self, in_dim, out_dim, heads=4):
        super().__init__()
        self.heads, self.out_dim = heads, out_dim
        self.lin = nn.Linear(in_dim, heads * out_dim, bias=False)
        self.att_src = nn.Parameter(torch.randn(1, heads, out_dim))  #! 1, heads, out_dim => 1, out_dim, heads
        self.att_dst = nn.Parameter(torch.randn(1, heads, out_dim))

    def forward(self, x, edge_index):
        src, dst = edge_index[0], edge_index[1]
        h = self.lin(x).view(-1, self.heads, self.out_dim)
        alpha = (h * self.att_src).sum(-1)[src] + (h * self.att_dst).sum(-1)[dst]
        alpha = segment_softmax(F.leaky_relu(alpha, 0.2), dst, x.size(0))
        reveal_type(alpha)
        out = scatter_sum(h[src] * alpha.unsqueeze(-1), dst, x.size(0))  #! alpha.unsqueeze(-1) => alpha.unsqueeze(1)
        return out.flatten(1)


class Net(nn.Module):
    def __init__(self, features, hidden, classes):
        super().__init__()
        self.conv1 = GCNConv(features, hidden)
        self.conv2 = GATConv(hidden, hidden // 4, heads=4)
        self.readout = nn.Linear(2 * hidden, classes)  #! 2 * hidden => hidden

    def forward(self, x, edge_index, batch):
        x = F.relu(self.conv1(x, edge_index))
        x = F.elu(self.conv2(x, edge_index))
        n_graphs = int(batch.max()) + 1
        total = scatter_sum(x, batch, n_graphs)
        counts = torch.bincount(batch, minlength=n_graphs).clamp(min=1).unsqueeze(1)
        pooled = torch.cat([total, total / counts], dim=1)
        return self.readout(pooled)


def random_graph(n):
    p = torch.rand(n, n) < 0.3
    return torch.randn(n, 7), p.nonzero().t()  #! .t() =>


def collate(graphs):
    xs, edges, batch, offset = [], [], [], 0
    for i, (x, e) in enumerate(graphs):
        xs.append(x)
        edges.append(e + offset)
        batch.append(torch.full((x.size(0),), i))
        offset += x.size(0)
    return torch.cat(xs), torch.cat(edges, dim=1), torch.cat(batch)  #! torch.cat(edges, dim=1) => torch.cat(edges)


graphs = [random_graph(n) for n in (5, 9, 12)]
x, edge_index, batch = collate(graphs)
reveal_type(x)
net = Net(7, 32, 3)
opt = torch.optim.Adam(net.parameters())
target = torch.tensor([0, 2, 1])
for _ in range(2):
    out = net(x, edge_index, batch)
    loss = F.cross_entropy(out, target)
    opt.zero_grad()
    loss.backward()
    opt.step()

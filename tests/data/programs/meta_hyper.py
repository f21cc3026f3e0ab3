"""Prototypical networks and MAML on synthetic episodes, a hypernetwork, and a custom autograd function."""
from collections import OrderedDict
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.func import functional_call
from torch.utils.data import Dataset, DataLoader, Sampler


class Glyphs(Dataset):
    def __init__(self, classes=12, per_class=10, size=28):
        self.protos = torch.rand(classes, 1, size, size)
        self.labels = torch.arange(classes).repeat_interleave(per_class)

    def __len__(self):
        return self.labels.numel()

    def __getitem__(self, i):
        label = self.labels[i]
        return self.protos[label] + 0.1 * torch.randn_like(self.protos[label]), label


class EpisodeSampler(Sampler):
    def __init__(self, labels, ways, shots, episodes):
        self.index = [(labels == c).nonzero().flatten() for c in labels.unique()]
        self.ways, self.shots, self.episodes = ways, shots, episodes

    def __len__(self):
        return self.episodes

    def __iter__(self):
        for _ in range(self.episodes):
            classes = torch.randperm(len(self.index))[:self.ways]
            rows = [self.index[c][torch.randperm(len(self.index[c]))[:self.shots]] for c in classes]
            yield torch.stack(rows).t().flatten().tolist()


def conv_block(cin, cout):
    return nn.Sequential(OrderedDict([("conv", nn.Conv2d(cin, cout, 3, padding=1)), ("bn", nn.BatchNorm2d(cout, track_running_stats=False)), ("relu", nn.ReLU()), ("pool", nn.MaxPool2d(2))]))


class Embed(nn.Module):
    def __init__(self, hid=16, layers=4):
        super().__init__()
        self.body = nn.Sequential(*[conv_block(1 if i == 0 else hid, hid) for i in range(layers)])  #! 1 if i == 0 else hid => 1

    def forward(self, x):
        return self.body(x).flatten(1)


def proto_loss(z, ways, shots, queries):
    z = z.view(shots + queries, ways, -1)  #! shots + queries, ways, -1 => shots, ways, -1
    proto, query = z[:shots].mean(0), z[shots:].flatten(0, 1)
    logits = -torch.cdist(query, proto) ** 2  #! query, proto => query.t(), proto
    target = torch.arange(ways).repeat(queries)  #! .repeat(queries) => .repeat(shots + queries)
    return F.cross_entropy(logits, target), logits


class Rounding(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, levels):
        ctx.levels = levels
        return (x * levels).round() / levels

    @staticmethod
    def backward(ctx, grad):
        return grad, None


class Hyper(nn.Module):
    """Makes the weights of a linear layer from a task's code."""

    def __init__(self, code, n_in, n_out):
        super().__init__()
        self.n_in, self.n_out = n_in, n_out
        self.net = nn.Sequential(nn.Linear(code, 32), nn.ReLU(), nn.Linear(32, n_in * n_out + n_out))  #! n_in * n_out + n_out => n_in * n_out

    def forward(self, code, x):
        theta = self.net(code)
        w, b = theta.split([self.n_in * self.n_out, self.n_out], dim=-1)
        return torch.einsum("bi,boi->bo", x, w.view(-1, self.n_out, self.n_in)) + b  #! w.view(-1, self.n_out, self.n_in) => w.view(-1, self.n_in, self.n_out)


WAYS, SHOTS, QUERIES = 5, 2, 3
data = Glyphs()
loader = DataLoader(data, batch_sampler=EpisodeSampler(data.labels, WAYS, SHOTS + QUERIES, 3))
embed = Embed()
opt = torch.optim.Adam(embed.parameters(), 1e-3)
for images, _ in loader:
    loss, logits = proto_loss(embed(images), WAYS, SHOTS, QUERIES)
    opt.zero_grad()
    loss.backward()
    opt.step()
demo = embed(torch.rand(25, 1, 28, 28))
reveal_type(demo)
loss, logits = proto_loss(demo, WAYS, SHOTS, QUERIES)
reveal_type(logits)

regressor = nn.Sequential(nn.Linear(1, 40), nn.ReLU(), nn.Linear(40, 1))
outer = torch.optim.Adam(regressor.parameters(), 1e-3)
for _ in range(2):
    total = 0.0
    for task in range(4):
        amp, phase = torch.rand(1) * 4, torch.rand(1) * 3
        xs, xq = torch.rand(10, 1), torch.rand(15, 1)  #! torch.rand(10, 1) => torch.rand(10, 2)
        fast = dict(regressor.named_parameters())
        inner = F.mse_loss(functional_call(regressor, fast, xs), amp * torch.sin(xs + phase))
        grads = torch.autograd.grad(inner, list(fast.values()), create_graph=True)
        fast = {k: p - 0.01 * g for (k, p), g in zip(fast.items(), grads)}
        pred = functional_call(regressor, fast, xq)
        total = total + F.mse_loss(pred, amp * torch.sin(xq + phase))
    outer.zero_grad()
    total.backward()
    outer.step()
reveal_type(pred)
reveal_type(fast["2.weight"])
hyper = Hyper(6, 3, 4)
out = hyper(torch.randn(8, 6), Rounding.apply(torch.randn(8, 3), 16))  #! torch.randn(8, 3) => torch.randn(8, 4)
reveal_type(out)
proj = F.normalize(out, dim=-1) @ F.normalize(out, dim=-1).mT  #! .mT => 
reveal_type(proj)

"""Model-agnostic meta-learning with functional forward passes and parameter dictionaries; also prototypical loss."""
from collections import OrderedDict
from typing import TypedDict

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import BatchSampler, DataLoader, Dataset, Sampler


class Task(TypedDict):
    support: torch.Tensor
    query: torch.Tensor
    support_y: torch.Tensor
    query_y: torch.Tensor


class EpisodeSampler(Sampler):
    """Batches of `way` classes with `shot` examples each."""

    def __init__(self, labels, way, shot, episodes):
        self.labels = torch.as_tensor(labels)
        self.way, self.shot, self.episodes = way, shot, episodes

    def __len__(self):
        return self.episodes

    def __iter__(self):
        for _ in range(self.episodes):
            classes = torch.randperm(int(self.labels.max()) + 1)[: self.way]
            batch = []
            for c in classes:
                index = (self.labels == c).nonzero().flatten()
                batch.append(index[torch.randperm(len(index))[: self.shot]])
            yield torch.cat(batch).tolist()


class Glyphs(Dataset):
    def __init__(self, classes=8, each=10):
        self.x = torch.rand(classes * each, 1, 14, 14)
        self.y = torch.arange(classes).repeat_interleave(each)

    def __len__(self):
        return self.x.size(0)

    def __getitem__(self, i):
        return self.x[i], self.y[i]


class MetaNet(nn.Module):
    def __init__(self, way=5, width=8):
        super().__init__()
        self.features = nn.Sequential(OrderedDict([
            ("conv", nn.Conv2d(1, width, 3)),
            ("relu", nn.ReLU()),
            ("pool", nn.AdaptiveMaxPool2d(3)),
        ]))
        self.add_module("fc", nn.Linear(width * 9, way))  #! width * 9 => width * 3

    def forward(self, x, params=None):
        if params is None:
            params = OrderedDict(self.named_parameters())
        x = F.conv2d(x, params["features.conv.weight"], params["features.conv.bias"])
        x = F.adaptive_max_pool2d(F.relu(x), 3)
        x = x.flatten(1)  #! x.flatten(1) => x.flatten(2)
        return F.linear(x, weight=params["fc.weight"], bias=params["fc.bias"])  #! weight=params["fc.weight"] => weight=params["fc.weight"].t()


def make_task(way=5, shot=2, queries=3) -> Task:
    support = torch.rand(way * shot, 1, 14, 14)
    query = torch.rand(way * queries, 1, 14, 14)  #! 1, 14, 14 => 3, 14, 14
    return {
        "support": support,
        "query": query,
        "support_y": torch.arange(way).repeat_interleave(shot),  #! repeat_interleave(shot) => repeat_interleave(queries)
        "query_y": torch.arange(way).repeat_interleave(queries),
    }


def adapt(model, task: Task, lr=0.1, steps=2):
    params = OrderedDict(model.named_parameters())
    for _ in range(steps):
        loss = F.cross_entropy(model(task["support"], params), task["support_y"])
        grads = torch.autograd.grad(loss, params.values(), create_graph=True)
        params = OrderedDict((name, p - lr * g) for (name, p), g in zip(params.items(), grads))
    return params


def prototypical_loss(encoder, x, way, shot, n_support):
    z = encoder(x).flatten(1)
    z = z.view(way, shot, -1)  #! way, shot, -1 => shot, way, -1
    proto = z[:, :n_support].mean(dim=1)
    query = z[:, n_support:].reshape(way * (shot - n_support), -1)
    dists = ((query[:, None] - proto[None]) ** 2).sum(-1)  #! query[:, None] => query
    target = torch.arange(way).view(way, 1).expand(way, shot - n_support).reshape(-1)
    return F.nll_loss(F.log_softmax(-dists, dim=1), target), dists


model = MetaNet()
meta = torch.optim.Adam(model.parameters(), lr=1e-3)
for it in range(2):
    outer = 0.0
    for task in [make_task() for _ in range(3)]:
        fast = adapt(model, task)
        logits = model(task["query"], fast)
        outer = outer + F.cross_entropy(logits, task["query_y"])
    meta.zero_grad()
    outer.backward()
    meta.step()
reveal_type(logits)
reveal_type(fast["fc.weight"])
data = Glyphs()
loader = DataLoader(data, batch_sampler=EpisodeSampler(data.y, way=4, shot=5, episodes=2))
for x, y in loader:
    loss, dists = prototypical_loss(model.features, x, 4, 5, n_support=2)
    loss.backward()
reveal_type(dists)

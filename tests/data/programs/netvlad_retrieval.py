"""Place recognition: NetVLAD and generalised-mean pooling over convolutional features, a pairwise margin loss, whitening, and recall."""
import abc
from functools import partial

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

AGGREGATORS = {}


def register(name):
    def wrap(cls):
        AGGREGATORS[name] = cls
        return cls

    return wrap


class Aggregator(nn.Module, abc.ABC):
    out_dim: int

    @abc.abstractmethod
    def pool(self, x):
        ...

    def forward(self, x):
        return F.normalize(self.pool(x), p=2, dim=1)


@register("netvlad")
class NetVLAD(Aggregator):
    def __init__(self, num_clusters=8, dim=32, alpha=100.0, normalize_input=True):
        super().__init__()
        self.num_clusters = num_clusters
        self.dim = dim
        self.alpha = alpha
        self.normalize_input = normalize_input
        self.conv = nn.Conv2d(dim, num_clusters, kernel_size=(1, 1), bias=True)
        self.centroids = nn.Parameter(torch.rand(num_clusters, dim))  #! (num_clusters, dim) => (dim, num_clusters)
        self.out_dim = num_clusters * dim
        self._init_params()

    def _init_params(self):
        self.conv.weight = nn.Parameter((2.0 * self.alpha * self.centroids).unsqueeze(-1).unsqueeze(-1))  #! .unsqueeze(-1).unsqueeze(-1) => .unsqueeze(-1)
        self.conv.bias = nn.Parameter(-self.alpha * self.centroids.norm(dim=1))

    def pool(self, x):
        N, C = x.shape[:2]
        if self.normalize_input:
            x = F.normalize(x, p=2, dim=1)
        soft_assign = self.conv(x).view(N, self.num_clusters, -1)
        soft_assign = F.softmax(soft_assign, dim=1)
        x_flatten = x.view(N, C, -1)
        residual = x_flatten.expand(self.num_clusters, -1, -1, -1).permute(1, 0, 2, 3) - self.centroids.expand(x_flatten.size(-1), -1, -1).permute(1, 2, 0).unsqueeze(0)  #! permute(1, 0, 2, 3) => permute(1, 2, 0, 3)
        residual *= soft_assign.unsqueeze(2)  #! unsqueeze(2) => unsqueeze(1)
        vlad = residual.sum(dim=-1)
        vlad = F.normalize(vlad, p=2, dim=2)
        return vlad.view(x.size(0), -1)


@register("gem")
class GeM(Aggregator):
    def __init__(self, dim=32, p=3, eps=1e-6):
        super().__init__()
        self.p = nn.Parameter(torch.ones(1) * p)
        self.eps = eps
        self.out_dim = dim

    def pool(self, x):
        return F.avg_pool2d(x.clamp(min=self.eps).pow(self.p), (x.size(-2), x.size(-1))).pow(1.0 / self.p).flatten(1)  #! (x.size(-2), x.size(-1)) => (x.size(-3), x.size(-1))

    def __repr__(self):
        return self.__class__.__name__ + "(" + "p=" + "{:.4f}".format(self.p.data.tolist()[0]) + ")"


class RetrievalNet(nn.Module):
    def __init__(self, aggregator, width=32, out=None, **kwargs):
        super().__init__()
        conv = partial(nn.Conv2d, kernel_size=3, padding=1)
        self.backbone = nn.Sequential(conv(3, width // 2), nn.ReLU(True), nn.MaxPool2d(2), conv(width // 2, width), nn.ReLU(True), nn.MaxPool2d(2))
        self.aggregator = AGGREGATORS[aggregator](dim=width, **kwargs)
        self.whiten = nn.Linear(self.aggregator.out_dim, out) if out else None  #! self.aggregator.out_dim, out => width, out

    def forward(self, x):
        x = self.aggregator(self.backbone(x))
        if self.whiten is not None:
            x = F.normalize(self.whiten(x), dim=-1)
        return x


def hard_triplet_loss(embedding, labels, margin=0.1):
    dot = embedding @ embedding.t()
    square_norm = dot.diag()
    distances = square_norm.unsqueeze(0) - 2.0 * dot + square_norm.unsqueeze(1)
    distances = distances.clamp(min=0).sqrt()
    equal = labels.unsqueeze(0) == labels.unsqueeze(1)
    eye = torch.eye(labels.size(0), dtype=torch.bool)  #! labels.size(0), => embedding.size(1),
    anchor_positive = (distances * (equal & ~eye)).max(dim=1, keepdim=True)[0]
    max_negative = distances.max(dim=1, keepdim=True)[0]
    anchor_negative = (distances + max_negative * equal).min(dim=1, keepdim=True)[0]
    reveal_type(anchor_negative)
    return F.relu(anchor_positive - anchor_negative + margin).mean()


@torch.inference_mode()
def extract(net, images, batch_size=4):
    net.eval()
    vectors = np.zeros((len(images), 16), dtype=np.float32)
    for i in range(0, len(images), batch_size):
        vectors[i : i + batch_size] = net(images[i : i + batch_size]).numpy()  #! vectors[i : i + batch_size] => vectors[:, i : i + batch_size]
    return vectors


def recall_at(queries, database, truth, ks=(1, 5)):
    scores = np.dot(queries, database.T)  #! database.T => database
    ranks = np.argsort(-scores, axis=1)
    reveal_type(ranks)
    hits = ranks == truth[:, None]
    return {k: hits[:, :k].any(axis=1).mean() for k in ks}


if __name__ == "__main__":
    for kind in ("netvlad", "gem"):
        net = RetrievalNet(kind, out=16)
        optimizer = torch.optim.Adam(net.parameters(), lr=1e-5)
        for step in range(2):
            images = torch.rand(6, 3, 24, 32)
            labels = torch.tensor([0, 0, 1, 1, 2, 2])
            loss = hard_triplet_loss(net(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        database, queries = extract(net, torch.rand(12, 3, 24, 32)), extract(net, torch.rand(4, 3, 24, 32))
        print(kind, recall_at(queries, database, np.arange(4)))
    reveal_type(net.aggregator(net.backbone(images)))
    reveal_type(queries)

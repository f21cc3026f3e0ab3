"""BYOL: two views, online and target networks (AveragedModel with EMA), predictor, linear probe afterwards."""
import copy
from typing import Callable
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, Dataset
from torchvision import models, transforms as T


class TwoViews(Dataset):
    def __init__(self, images, transform: Callable):
        self.images, self.transform = images, transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index]
        return self.transform(image), self.transform(image)


class MLP(nn.Module):
    def __init__(self, dim, projection_size, hidden_size=64):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(dim, hidden_size), nn.BatchNorm1d(hidden_size), nn.ReLU(inplace=True), nn.Linear(hidden_size, projection_size))  #! nn.BatchNorm1d(hidden_size) => nn.BatchNorm1d(projection_size)

    def forward(self, x):
        return self.net(x)


class NetWrapper(nn.Module):
    """Takes the output of a hidden layer through a forward hook and projects it."""

    def __init__(self, net, projection_size, layer=-2, feature_dim=512):
        super().__init__()
        self.net = net
        self.hidden = {}
        self.projector = MLP(feature_dim, projection_size)
        children = [*self.net.children()]
        children[layer].register_forward_hook(self._hook)

    def _hook(self, _, input, output):
        self.hidden["x"] = output.flatten(1)

    def forward(self, x, return_projection=True):
        self.hidden.clear()
        _ = self.net(x)
        representation = self.hidden["x"]
        if not return_projection:
            return representation
        return self.projector(representation), representation


def loss_fn(x, y):
    x = F.normalize(x, dim=-1, p=2)
    y = F.normalize(y, dim=-1, p=2)
    return 2 - 2 * (x * y).sum(dim=-1)


class BYOL(nn.Module):
    def __init__(self, net, projection_size=32, pred_hidden=48, decay=0.99):
        super().__init__()
        self.online = NetWrapper(net, projection_size, feature_dim=512)  #! feature_dim=512 => feature_dim=1000
        self.target = AveragedModel(self.online, multi_avg_fn=get_ema_multi_avg_fn(decay), use_buffers=True)
        for p in self.target.parameters():
            p.requires_grad_(False)
        self.predictor = MLP(projection_size, projection_size, pred_hidden)

    def update_target(self):
        self.target.update_parameters(self.online)

    def forward(self, v1, v2):
        images = torch.cat((v1, v2), dim=0)  #! dim=0 => dim=1
        projections, _ = self.online(images)
        one, two = self.predictor(projections).chunk(2, dim=0)
        with torch.no_grad():
            t = copy.deepcopy(self.online.projector)(self.online(images, return_projection=False))
            t_one, t_two = t.chunk(2, dim=0)  #! t.chunk(2, dim=0) => t.chunk(2, dim=1)
        return (loss_fn(one, t_two.detach()) + loss_fn(two, t_one.detach())).mean()


def probe(features, labels, classes, epochs=3):
    head = nn.Linear(features.shape[1], classes)  #! features.shape[1] => features.shape[0]
    optimizer = torch.optim.LBFGS(head.parameters(), lr=0.5, max_iter=5)

    def closure():
        optimizer.zero_grad()
        loss = F.cross_entropy(head(features), labels)
        loss.backward()
        return loss

    for _ in range(epochs):
        optimizer.step(closure)
    return (head(features).argmax(-1) == labels).float().mean()


def main():
    torch.manual_seed(0)
    images = torch.rand(20, 3, 40, 40)
    labels = torch.arange(20) % 4
    transform = T.Compose([T.RandomResizedCrop(32, scale=(0.5, 1.0)), T.RandomHorizontalFlip(), T.ColorJitter(0.4, 0.4), T.GaussianBlur(3), T.Normalize([0.5] * 3, [0.25] * 3)])
    loader = DataLoader(TwoViews(images, transform), batch_size=8, shuffle=True, drop_last=True)
    backbone = models.resnet18(weights=None)
    learner = BYOL(backbone)
    optimizer = torch.optim.Adam([p for p in learner.parameters() if p.requires_grad], lr=3e-4)
    for epoch in range(1):
        for v1, v2 in loader:
            reveal_type(v1)
            loss = learner(v1, v2)  #! learner(v1, v2) => learner(v1, v2[:, :1])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            learner.update_target()
    learner.eval()
    with torch.no_grad():
        features = learner.online(images, return_projection=False)
        averaged, _ = learner.target(images)
        reveal_type(averaged)
        sims = F.cosine_similarity(features[:, None], features[None], dim=-1)  #! features[:, None], features[None] => features[:, None], averaged[None]
    reveal_type(features)
    reveal_type(sims)
    probe(features, labels, 4)  #! features, labels, => features, labels[:-1],


if __name__ == "__main__":
    main()

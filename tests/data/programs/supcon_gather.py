"""Supervised contrastive learning in the way of several processes, with hard negatives by gather and a k-nearest-neighbour test."""
import math
import os

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, DistributedSampler
from torch.nn.parallel import DistributedDataParallel as DDP
from torchvision import models, transforms


def is_dist():
    return dist.is_available() and dist.is_initialized()


def world_size():
    return dist.get_world_size() if is_dist() else 1


def rank():
    return dist.get_rank() if is_dist() else 0


@torch.no_grad()
def concat_all_gather(tensor):
    if world_size() == 1:
        return tensor
    gathered = [torch.zeros_like(tensor) for _ in range(world_size())]
    dist.all_gather(gathered, tensor.contiguous())
    return torch.cat(gathered, dim=0)


class TwoCrops:
    def __init__(self, transform):
        self.transform = transform

    def __call__(self, x):
        return [self.transform(x), self.transform(x)]


class Noise(Dataset):
    def __init__(self, n, classes, transform=None):
        self.images = torch.rand(n, 3, 40, 40)
        self.labels = torch.arange(n) % classes
        self.transform = transform

    def __len__(self):
        return len(self.images)

    def __getitem__(self, i):
        image = self.images[i]
        if self.transform is not None:
            image = self.transform(image)
        return image, self.labels[i], i


class SupConNet(nn.Module):
    def __init__(self, name="resnet18", head="mlp", feat_dim=32):
        super().__init__()
        self.encoder = getattr(models, name)(num_classes=10)
        dim_in = self.encoder.fc.in_features
        self.encoder.fc = nn.Identity()
        if head == "linear":
            self.head = nn.Linear(dim_in, feat_dim)
        elif head == "mlp":
            self.head = nn.Sequential(nn.Linear(dim_in, dim_in), nn.ReLU(inplace=True), nn.Linear(dim_in, feat_dim))  #! nn.Linear(dim_in, dim_in) => nn.Linear(2048, dim_in)
        else:
            raise NotImplementedError(f"head not supported: {head}")

    def forward(self, x):
        return F.normalize(self.head(self.encoder(x)), dim=1)


class SupConLoss(nn.Module):
    def __init__(self, temperature=0.07, contrast_mode="all"):
        super().__init__()
        self.temperature, self.contrast_mode = temperature, contrast_mode

    def forward(self, features, labels=None, mask=None):
        if len(features.shape) < 3:
            raise ValueError("`features` needs to be [bsz, n_views, ...]")
        if len(features.shape) > 3:
            features = features.view(features.shape[0], features.shape[1], -1)
        batch_size = features.shape[0]
        if labels is not None and mask is not None:
            raise ValueError("Cannot define both `labels` and `mask`")
        elif labels is None and mask is None:
            mask = torch.eye(batch_size, dtype=torch.float32)
        elif labels is not None:
            labels = labels.contiguous().view(-1, 1)
            if labels.shape[0] != batch_size:
                raise ValueError("Num of labels does not match num of features")
            mask = torch.eq(labels, labels.T).float()
        contrast_count = features.shape[1]
        contrast_feature = torch.cat(torch.unbind(features, dim=1), dim=0)  #! torch.unbind(features, dim=1) => torch.unbind(features, dim=2)
        if self.contrast_mode == "one":
            anchor_feature, anchor_count = features[:, 0], 1
        else:
            anchor_feature, anchor_count = contrast_feature, contrast_count
        logits = torch.div(torch.matmul(anchor_feature, contrast_feature.T), self.temperature)
        logits_max, _ = torch.max(logits, dim=1, keepdim=True)
        logits = logits - logits_max.detach()
        mask = mask.repeat(anchor_count, contrast_count)  #! mask.repeat(anchor_count, contrast_count) => mask.repeat(anchor_count, 1)
        logits_mask = torch.scatter(torch.ones_like(mask), 1, torch.arange(batch_size * anchor_count).view(-1, 1), 0)
        mask = mask * logits_mask
        exp_logits = torch.exp(logits) * logits_mask
        log_prob = logits - torch.log(exp_logits.sum(1, keepdim=True))
        mean_log_prob_pos = (mask * log_prob).sum(1) / mask.sum(1).clamp(min=1)
        loss = -mean_log_prob_pos
        return loss.view(anchor_count, batch_size).mean()


def hard_negatives(z, all_z, labels, all_labels, k=4):
    sim = z @ all_z.t()
    sim = sim.masked_fill(labels[:, None] == all_labels[None, :], -1.0)
    top, index = sim.topk(k, dim=1)
    picked = all_z[index]
    again = torch.gather(all_z.unsqueeze(0).expand(z.size(0), -1, -1), 1, index.unsqueeze(-1).expand(-1, -1, z.size(1)))  #! expand(-1, -1, z.size(1)) => expand(-1, z.size(1))
    return top, picked, again


@torch.no_grad()
def knn_test(net, bank_loader, test_loader, k=5, classes=4, t=0.1):
    net.eval()
    bank, targets = [], []
    for x, y, _ in bank_loader:
        bank.append(net(x))
        targets.append(y)
    bank, targets = torch.cat(bank).t().contiguous(), torch.cat(targets)
    correct = total = 0
    for x, y, _ in test_loader:
        sim_weight, sim_indices = torch.mm(net(x), bank).topk(k=k, dim=-1)
        sim_labels = torch.gather(targets.expand(x.size(0), -1), dim=-1, index=sim_indices)
        one_hot = torch.zeros(x.size(0) * k, classes).scatter(dim=-1, index=sim_labels.view(-1, 1), value=1.0)
        scores = torch.sum(one_hot.view(x.size(0), -1, classes) * (sim_weight / t).exp().unsqueeze(dim=-1), dim=1)  #! .unsqueeze(dim=-1) => .unsqueeze(dim=1)
        total += x.size(0)
        correct += (scores.argsort(dim=-1, descending=True)[:, :1] == y.unsqueeze(-1)).any(-1).float().sum().item()
    return correct / total, scores


def main():
    transform = transforms.Compose([transforms.RandomResizedCrop(32, scale=(0.5, 1.0), antialias=True), transforms.RandomHorizontalFlip(),
                                    transforms.RandomApply([transforms.ColorJitter(0.4, 0.4, 0.4, 0.1)], p=0.8), transforms.RandomGrayscale(p=0.2)])
    data = Noise(44, 4, TwoCrops(transform))
    sampler = DistributedSampler(data) if is_dist() else None
    loader = DataLoader(data, batch_size=16, shuffle=sampler is None, sampler=sampler, drop_last=True)
    net = SupConNet()
    model = DDP(net) if is_dist() else net
    criterion = SupConLoss()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=1e-4)
    for epoch in range(1):
        if sampler is not None:
            sampler.set_epoch(epoch)
        for idx, (images, labels, _) in enumerate(loader):
            bsz = labels.shape[0]
            features = model(torch.cat(images, dim=0))
            f1, f2 = torch.split(features, [bsz, bsz], dim=0)
            features = torch.cat([f1.unsqueeze(1), f2.unsqueeze(1)], dim=1)
            loss = criterion(features, labels) + criterion(features)
            top, picked, again = hard_negatives(f1, concat_all_gather(f2), labels, concat_all_gather(labels))
            loss = loss + F.relu(0.5 + (f1.unsqueeze(1) * picked).sum(-1)).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    reveal_type(features)
    reveal_type(again)
    plain = transforms.Compose([transforms.CenterCrop(32)])
    accuracy, scores = knn_test(net, DataLoader(Noise(30, 4, plain), 8), DataLoader(Noise(10, 4, plain), 4))
    reveal_type(scores)


if __name__ == "__main__":
    main()

# person re-identification: P x K sampler, batch-hard mining, centre loss, cosine margin, evaluation with numpy (CMC, mAP)
import collections
import random
from collections import defaultdict
import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset
from torch.utils.data.sampler import Sampler


class FakeReID(Dataset):
    def __init__(self, n_ids=8, per_id=6, size=(48, 24)):
        self.items = [(i, c % 3) for i in range(n_ids) for c in range(per_id)]
        self.size = size

    def __getitem__(self, index):
        pid, cam = self.items[index]
        g = torch.Generator().manual_seed(pid * 1000 + index)
        img = torch.randn(3, *self.size, generator=g) * 0.3 + pid / 8
        return img, pid, cam

    def __len__(self):
        return len(self.items)


class RandomIdentitySampler(Sampler):
    def __init__(self, items, batch_size, num_instances):
        self.batch_size, self.num_instances = batch_size, num_instances
        self.num_pids_per_batch = batch_size // num_instances
        self.index_dic = defaultdict(list)
        for index, (pid, _) in enumerate(items):
            self.index_dic[pid].append(index)
        self.pids = list(self.index_dic.keys())
        self.length = sum(len(v) - len(v) % num_instances for v in self.index_dic.values())

    def __iter__(self):
        batches = defaultdict(list)
        for pid in self.pids:
            idxs = list(self.index_dic[pid])
            random.shuffle(idxs)
            chunk = []
            for idx in idxs:
                chunk.append(idx)
                if len(chunk) == self.num_instances:
                    batches[pid].append(chunk)
                    chunk = []
        avail, final = list(self.pids), []
        while len(avail) >= self.num_pids_per_batch:
            for pid in random.sample(avail, self.num_pids_per_batch):
                final.extend(batches[pid].pop(0))
                if not batches[pid]:
                    avail.remove(pid)
        return iter(final)

    def __len__(self):
        return self.length


def euclidean_dist(x, y):
    m, n = x.size(0), y.size(0)
    xx = torch.pow(x, 2).sum(1, keepdim=True).expand(m, n)  #! .sum(1, keepdim=True) => .sum(1)
    yy = torch.pow(y, 2).sum(1, keepdim=True).expand(n, m).t()
    dist = torch.addmm(xx + yy, x, y.t(), beta=1, alpha=-2)  #! y.t() => y
    return dist.clamp(min=1e-12).sqrt()


class TripletLoss(nn.Module):
    def __init__(self, margin=0.3):
        super().__init__()
        self.ranking_loss = nn.MarginRankingLoss(margin=margin)

    def forward(self, feats, pids):
        n = feats.size(0)
        dist = euclidean_dist(feats, feats)
        same = pids.expand(n, n).eq(pids.expand(n, n).t())
        reveal_type(same)
        dist_ap = (dist - 1e6 * (~same).float()).max(dim=1)[0]
        dist_an = (dist + 1e6 * same.float()).min(1)[0]  #! .min(1)[0] => .min(1, keepdim=True)[0][:-1, 0]
        return self.ranking_loss(dist_an, dist_ap, torch.ones_like(dist_an))


class CenterLoss(nn.Module):
    def __init__(self, num_classes, feat_dim):
        super().__init__()
        self.num_classes = num_classes
        self.centers = nn.Parameter(torch.randn(num_classes, feat_dim))  #! num_classes, feat_dim => feat_dim, num_classes

    def forward(self, x, labels):
        distmat = torch.cdist(x, self.centers).pow(2)
        classes = torch.arange(self.num_classes).long()
        mask = labels.unsqueeze(1).expand(x.size(0), self.num_classes).eq(classes.expand(x.size(0), self.num_classes))
        return (distmat * mask.float()).clamp(1e-12, 1e12).sum() / x.size(0)


class PartPool(nn.Module):
    """Pools horizontal stripes, each with a classifier of its own."""

    def __init__(self, num_classes, parts=3, width=32):
        super().__init__()
        self.base = nn.Sequential(nn.Conv2d(3, 16, 3, 2, 1), nn.BatchNorm2d(16), nn.ReLU(), nn.Conv2d(16, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU())
        self.parts = parts
        self.pool = nn.AdaptiveAvgPool2d((parts, 1))
        self.reduce = nn.Conv2d(width, 12, 1)
        self.bottleneck = nn.BatchNorm1d(12 * parts)
        self.bottleneck.bias.requires_grad_(False)
        self.cosine = nn.Parameter(torch.randn(num_classes, 12 * parts))
        for i in range(parts):
            setattr(self, f"classifier{i}", nn.Linear(12, num_classes, bias=False))  #! nn.Linear(12, => nn.Linear(12 * parts,

    def forward(self, x):
        x = self.reduce(self.pool(self.base(x)))
        feat = x.flatten(1)
        after = self.bottleneck(feat)
        if not self.training:
            return F.normalize(after)
        part_logits = [getattr(self, "classifier%d" % i)(x[:, :, i].squeeze(-1)) for i in range(self.parts)]  #! x[:, :, i].squeeze(-1) => x[:, i]
        global_logits = 16 * F.linear(F.normalize(after), F.normalize(self.cosine))
        return global_logits, part_logits, feat


def evaluate(distmat, q_pids, g_pids, max_rank=5):
    num_q, num_g = distmat.shape
    indices = np.argsort(distmat, axis=1)
    matches = (g_pids[indices] == q_pids[:, np.newaxis]).astype(np.int32)  #! q_pids[:, np.newaxis] => q_pids
    all_cmc, all_ap = [], []
    for i in range(num_q):
        orig = matches[i]
        cmc = orig.cumsum()
        cmc[cmc > 1] = 1
        all_cmc.append(cmc[:max_rank])
        num_rel = orig.sum()
        tmp = orig.cumsum() / (np.arange(num_g) + 1.0)  #! np.arange(num_g) => np.arange(num_q)
        all_ap.append((tmp * orig).sum() / num_rel)
    return np.asarray(all_cmc).astype(np.float32).sum(0) / num_q, np.mean(all_ap)


random.seed(3)
data = FakeReID()
loader = DataLoader(data, batch_size=8, sampler=RandomIdentitySampler(data.items, 8, 2), drop_last=True)
model = PartPool(8)
triplet, center, xent = TripletLoss(), CenterLoss(8, 36), nn.CrossEntropyLoss(label_smoothing=0.1)
opt = torch.optim.Adam(list(model.parameters()) + list(center.parameters()), lr=3.5e-4)
for imgs, pids, camids in loader:
    logits, parts, feat = model(imgs)
    loss = xent(logits, pids) + sum(xent(p, pids) for p in parts) / len(parts) + triplet(feat, pids) + 5e-4 * center(feat, pids)
    opt.zero_grad()
    loss.backward()
    for p in center.parameters():
        p.grad.data *= 1. / 5e-4
    opt.step()
    reveal_type(feat)
model.eval()
gf, gp = [], []
with torch.no_grad():
    for imgs, pids, _ in DataLoader(data, batch_size=16):
        gf.append(model(imgs))
        gp.extend(pids.tolist())
gf = torch.cat(gf, 0)
reveal_type(gf)
query = gf[::6]
dist = euclidean_dist(query, gf).numpy()
cmc, m_ap = evaluate(dist, np.asarray(gp)[::6], np.asarray(gp))  #! np.asarray(gp)[::6] => np.asarray(gp)[::5]

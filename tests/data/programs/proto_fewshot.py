"""Few-shot classification: episodes by a batch sampler, prototypical and relation heads, a matching baseline, cosine temperature."""
import random
from collections import defaultdict
import numpy as np
import torch
from torch import nn, optim
import torch.nn.functional as F
from torch.utils.data import Dataset, DataLoader, Sampler

N_WAY, K_SHOT, Q_QUERY = 5, 3, 4


class Glyphs(Dataset):
    def __init__(self, classes=12, per_class=10, size=28, seed=0):
        rng = np.random.RandomState(seed)
        base = rng.rand(classes, size, size)
        self.images, self.labels = [], []
        for c in range(classes):
            for _ in range(per_class):
                noise = rng.normal(scale=0.1, size=(size, size))
                self.images.append((base[c] + noise).astype("float32"))
                self.labels.append(c)
        self.by_class = defaultdict(list)
        for i, c in enumerate(self.labels):
            self.by_class[c].append(i)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return torch.from_numpy(self.images[i])[None], self.labels[i]  #! [None], self.labels => , self.labels


class EpisodeSampler(Sampler):
    def __init__(self, by_class, n_way, n_shot, n_query, episodes):
        self.by_class, self.n_way, self.size, self.episodes = by_class, n_way, n_shot + n_query, episodes

    def __len__(self):
        return self.episodes

    def __iter__(self):
        for _ in range(self.episodes):
            batch = []
            for c in random.sample(sorted(self.by_class), self.n_way):
                batch.extend(random.sample(self.by_class[c], self.size))
            yield batch


def conv_block(i, o):
    return nn.Sequential(nn.Conv2d(i, o, 3, padding=1), nn.BatchNorm2d(o), nn.ReLU(), nn.MaxPool2d(2))


class Backbone(nn.Module):
    def __init__(self, hid=32, z=48):
        super().__init__()
        self.encoder = nn.Sequential(conv_block(1, hid), conv_block(hid, hid), conv_block(hid, hid), conv_block(hid, z))  #! conv_block(hid, z) => conv_block(z, z)

    def forward(self, x):
        return self.encoder(x)


class Relation(nn.Module):
    def __init__(self, z=48, hidden=16):
        super().__init__()
        self.conv = nn.Conv2d(2 * z, 32, 1)  #! 2 * z, 32 => z, 32
        self.fc = nn.Sequential(nn.Linear(32, hidden), nn.ReLU(), nn.Linear(hidden, 1))

    def forward(self, pairs):
        h = F.relu(self.conv(pairs)).flatten(1)
        return self.fc(h)


def split_episode(features, n_way, k, q):
    f = features.view(n_way, k + q, *features.shape[1:])  #! n_way, k + q, => n_way, k * q,
    return f[:, :k], f[:, k:].reshape(n_way * q, *features.shape[1:])


def prototypical(support, query, temperature):
    protos = support.flatten(2).mean(dim=1)  #! .mean(dim=1) => .mean(dim=2)
    logits = -torch.cdist(query.flatten(1), protos) ** 2  #! query.flatten(1), protos => query.flatten(1), protos.t()
    return logits * temperature.exp()


def matching(support, query, labels, n_way):
    s = F.normalize(support.flatten(0, 1).flatten(1), dim=-1)
    qn = F.normalize(query.flatten(1), dim=-1)
    attention = (qn @ s.t() * 10).softmax(-1)  #! qn @ s.t() => qn @ s
    onehot = F.one_hot(labels.repeat_interleave(support.size(1)), n_way).float()  #! labels.repeat_interleave(support.size(1)) => labels.repeat_interleave(support.size(0))
    return attention @ onehot


def relation_scores(net, support, query, n_way):
    protos = support.mean(1)
    nq = query.size(0)
    p = protos.unsqueeze(0).expand(nq, *protos.shape)
    qq = query.unsqueeze(1).expand(nq, n_way, *query.shape[1:])
    pairs = torch.cat([p, qq], dim=2).view(nq * n_way, -1, *query.shape[2:])  #! torch.cat([p, qq], dim=2) => torch.cat([p, qq], dim=1)
    return net(pairs).view(nq, n_way)


random.seed(0)
torch.manual_seed(0)
data = Glyphs()
loader = DataLoader(data, batch_sampler=EpisodeSampler(data.by_class, N_WAY, K_SHOT, Q_QUERY, 3))
backbone, relation = Backbone(), Relation()
temperature = nn.Parameter(torch.zeros(1))
optimizer = optim.Adam([{"params": backbone.parameters()}, {"params": [*relation.parameters(), temperature], "lr": 1e-2}], lr=1e-3)
scheduler = optim.lr_scheduler.StepLR(optimizer, step_size=2, gamma=0.5)
target = torch.arange(N_WAY).repeat_interleave(Q_QUERY)
for images, labels in loader:
    features = backbone(images)
    support, query = split_episode(features, N_WAY, K_SHOT, Q_QUERY)
    logits = prototypical(support, query, temperature)
    loss = F.cross_entropy(logits, target)  #! logits, target => logits, labels
    votes = matching(support, query, torch.arange(N_WAY), N_WAY)
    loss = loss + F.nll_loss((votes + 1e-6).log(), target)
    scores = relation_scores(relation, support, query, N_WAY)
    loss = loss + F.mse_loss(scores.sigmoid(), F.one_hot(target, N_WAY).float())  #! F.one_hot(target, N_WAY).float() => target.float()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    scheduler.step()
reveal_type(images)
reveal_type(query)
reveal_type(logits)
reveal_type(votes)
reveal_type(scores)

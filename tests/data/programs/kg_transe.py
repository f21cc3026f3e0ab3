#coding: utf-8
"""Knowledge graph embedding: TransE, DistMult, ComplEx and RotatE behind one base class; negative sampling; filtered ranking."""
from abc import ABC, abstractmethod
from enum import Enum
import math
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import Dataset, DataLoader


class Mode(Enum):
    HEAD = "head-batch"
    TAIL = "tail-batch"
    SINGLE = "single"


class TrainSet(Dataset):
    def __init__(self, triples, n_entity, n_negative, mode):
        self.triples, self.n_entity, self.n_negative, self.mode = triples, n_entity, n_negative, mode
        self.count = {}
        for h, r, t in triples:
            for key in ((h, r), (t, -r - 1)):
                self.count[key] = self.count.get(key, 4) + 1

    def __len__(self):
        return len(self.triples)

    def __getitem__(self, idx):
        h, r, t = self.triples[idx]
        weight = torch.tensor([self.count[(h, r)] + self.count[(t, -r - 1)]]).rsqrt()
        negative = torch.randint(self.n_entity, (self.n_negative,))
        return torch.tensor([h, r, t]), negative, weight

    def collate(self, data):
        positive = torch.stack([d[0] for d in data], dim=0)  #! torch.stack([d[0] for d in data], dim=0) => torch.cat([d[0] for d in data], dim=0)
        negative = torch.stack([d[1] for d in data], dim=0)
        return positive, negative, torch.cat([d[2] for d in data], dim=0), self.mode


class KGE(nn.Module, ABC):
    entity_factor = relation_factor = 1

    def __init__(self, n_entity, n_relation, dim, gamma=12.0):
        super().__init__()
        self.gamma = nn.Parameter(torch.tensor(gamma), requires_grad=False)
        self.range = (gamma + 2.0) / dim
        self.entity = nn.Parameter(torch.empty(n_entity, dim * self.entity_factor))
        self.relation = nn.Parameter(torch.empty(n_relation, dim * self.relation_factor))
        nn.init.uniform_(self.entity, -self.range, self.range)
        nn.init.uniform_(self.relation, -self.range, self.range)

    @abstractmethod
    def score(self, h, r, t): ...

    def forward(self, positive, negative=None, mode=Mode.SINGLE):
        h = self.entity.index_select(0, positive[:, 0]).unsqueeze(1)
        r = self.relation.index_select(0, positive[:, 1]).unsqueeze(1)  #! positive[:, 1]).unsqueeze(1) => positive[:, 1])
        t = self.entity.index_select(0, positive[:, 2]).unsqueeze(1)
        if mode is not Mode.SINGLE:
            n = self.entity.index_select(0, negative.view(-1)).view(negative.size(0), negative.size(1), -1)  #! .view(negative.size(0), negative.size(1), -1) => .view(negative.size(1), -1)
            h, t = (n, t) if mode is Mode.HEAD else (h, n)
        return self.score(h, r, t)


class TransE(KGE):
    def score(self, h, r, t):
        return self.gamma - torch.norm(h + r - t, p=1, dim=2)


class DistMult(KGE):
    def score(self, h, r, t):
        return (h * r * t).sum(dim=2)  #! .sum(dim=2) => .sum(dim=3)


class ComplEx(KGE):
    entity_factor = relation_factor = 2  #! relation_factor = 2 => relation_factor = 3

    def score(self, h, r, t):
        (rh, ih), (rr, ir), (rt, it) = (torch.chunk(x, 2, dim=2) for x in (h, r, t))
        return ((rh * rr - ih * ir) * rt + (rh * ir + ih * rr) * it).sum(2)


class RotatE(KGE):
    entity_factor = 2  #! entity_factor = 2 => entity_factor = 1

    def score(self, h, r, t):
        re_h, im_h = h.chunk(2, 2)
        re_t, im_t = t.chunk(2, 2)
        phase = r / (self.range / math.pi)
        re_r, im_r = phase.cos(), phase.sin()
        re, im = re_h * re_r - im_h * im_r - re_t, re_h * im_r + im_h * re_r - im_t
        return self.gamma - torch.stack([re, im], dim=0).norm(dim=0).sum(dim=2)


MODELS = {cls.__name__: cls for cls in (TransE, DistMult, ComplEx, RotatE)}


def endless(*loaders):
    iterators = [iter(l) for l in loaders]
    step = 0
    while True:
        which = step % len(loaders)
        try:
            batch = next(iterators[which])
        except StopIteration:
            iterators[which] = iter(loaders[which])
            batch = next(iterators[which])
        yield batch
        step += 1


def train_step(model, opt, iterator, temperature=1.0):
    positive, negative, weight, mode = next(iterator)
    negative_score = model(positive, negative, mode)
    adversarial = F.softmax(negative_score * temperature, dim=1).detach()
    negative_score = (adversarial * F.logsigmoid(-negative_score)).sum(dim=1)  #! .sum(dim=1) => .sum(dim=0)
    positive_score = F.logsigmoid(model(positive)).squeeze(dim=1)
    loss = -((weight * positive_score).sum() + (weight * negative_score).sum()) / (2 * weight.sum())
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss


@torch.no_grad()
def rank(model, triples, n_entity):
    positive = torch.tensor(triples)
    candidates = torch.arange(n_entity).repeat(len(triples), 1)
    scores = model(positive, candidates, Mode.TAIL)
    known = torch.zeros_like(scores, dtype=torch.bool)
    for i, (h, r, t) in enumerate(triples):
        others = [tt for hh, rr, tt in triples if (hh, rr) == (h, r) and tt != t]
        known[i, others] = True
    scores = scores.masked_fill(known, float("-inf"))
    own = scores.gather(1, positive[:, 2:])  #! positive[:, 2:] => positive[:, 2]
    ranks = (scores > own).sum(dim=1) + 1
    reveal_type(scores)
    return (1.0 / ranks).mean().item(), (ranks <= 10).float().mean().item()


n_entity, n_relation = 30, 4
g = torch.Generator().manual_seed(0)
triples = [(int(h), int(r), int((h * (r + 2) + 1) % n_entity)) for h, r in zip(torch.randint(n_entity, (60,), generator=g), torch.randint(n_relation, (60,), generator=g))]
loaders = []
for mode in (Mode.HEAD, Mode.TAIL):
    data = TrainSet(triples, n_entity, 8, mode)
    loaders.append(DataLoader(data, batch_size=15, shuffle=True, collate_fn=data.collate))
for name, cls in MODELS.items():
    model = cls(n_entity, n_relation, dim=16)
    opt = torch.optim.Adam(filter(lambda p: p.requires_grad, model.parameters()), lr=0.01)
    iterator = endless(*loaders)
    for step in range(3):
        train_step(model, opt, iterator)
    mrr, hits = rank(model, triples[:12], n_entity)
positive, negative, weight, _ = next(iterator)
reveal_type(positive)
reveal_type(negative)
reveal_type(weight)
reveal_type(model(positive))

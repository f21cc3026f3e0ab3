"""Two-tower retrieval: ragged histories in an EmbeddingBag with offsets, sampled softmax with log-q correction, brute-force top-k."""
import math
from collections import Counter, namedtuple
from typing import NamedTuple, Dict
import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import Dataset, DataLoader, Subset

Event = namedtuple("Event", "user history item age genres")


class Events(Dataset):
    def __init__(self, n_users, n_items, n, seed=0):
        rng = np.random.default_rng(seed)
        popularity = 1.0 / np.arange(1, n_items + 1)
        popularity /= popularity.sum()
        self.events = []
        for _ in range(n):
            user = int(rng.integers(n_users))
            history = rng.choice(n_items, size=rng.integers(1, 8), p=popularity).tolist()
            item = int(rng.choice(n_items, p=popularity))
            self.events.append(Event(user, history, item, float(rng.uniform(18, 80)), [item % 5, (item + 1) % 5]))

    def __len__(self):
        return len(self.events)

    def __getitem__(self, i):
        return self.events[i]


class Features(NamedTuple):
    user: torch.Tensor
    history: torch.Tensor
    offsets: torch.Tensor
    weights: torch.Tensor
    age: torch.Tensor
    item: torch.Tensor
    genres: torch.Tensor


def collate(events):
    flat, offsets, weights = [], [0], []
    for e in events:
        flat.extend(e.history)
        offsets.append(len(flat))
        weights.extend([1 / math.sqrt(len(e.history))] * len(e.history))
    return Features(
        user=torch.tensor([e.user for e in events]),
        history=torch.tensor(flat), offsets=torch.tensor(offsets[:-1]), weights=torch.tensor(weights),
        age=torch.tensor([[e.age] for e in events]),  #! [[e.age] for => [e.age for
        item=torch.tensor([e.item for e in events]),
        genres=torch.tensor([e.genres for e in events]))


class Tower(nn.Sequential):
    def __init__(self, sizes, p=0.1):
        layers = []
        for a, b in zip(sizes[:-2], sizes[1:-1]):
            layers.append(nn.Linear(a, b))
            layers.append(nn.LayerNorm(b))
            layers.append(nn.PReLU(b))
            layers.append(nn.Dropout(p))
        layers.append(nn.Linear(*sizes[-2:]))  #! *sizes[-2:] => *sizes[:2]
        super().__init__(*layers)


class TwoTower(nn.Module):
    def __init__(self, n_users, n_items, n_genres=5, dim=16, out=24):
        super().__init__()
        self.user = nn.Embedding(n_users, dim)
        self.items = nn.Embedding(n_items, dim)
        self.history = nn.EmbeddingBag(n_items, dim, mode="sum", _weight=self.items.weight) if False else nn.EmbeddingBag(n_items, dim, mode="sum")
        self.genre = nn.EmbeddingBag(n_genres, 4, mode="mean")
        self.register_buffer("bounds", torch.tensor([25., 35., 45., 60.]))
        self.age = nn.Embedding(5, 4)
        self.user_tower = Tower([2 * dim + 4, 48, out])  #! 2 * dim + 4 => 2 * dim
        self.item_tower = Tower([dim + 4, 48, 32, out])  #! 48, 32, out] => 48, 32, out * 2]
        self.temperature = nn.Parameter(torch.tensor(0.07).log())

    def encode_user(self, f: Features):
        history = self.history(f.history, f.offsets, per_sample_weights=f.weights)
        age = self.age(torch.bucketize(f.age, self.bounds).squeeze(1))  #! .squeeze(1) =>
        return F.normalize(self.user_tower(torch.cat([self.user(f.user), history, age], dim=-1)), dim=-1)

    def encode_item(self, item, genres):
        return F.normalize(self.item_tower(torch.cat([self.items(item), self.genre(genres)], dim=1)), dim=-1)

    def forward(self, f: Features):
        u = self.encode_user(f)
        v = self.encode_item(f.item, f.genres)
        return u @ v.T / self.temperature.exp()  #! u @ v.T => u @ v


def in_batch_softmax(logits, items, log_q):
    logits = logits - log_q[items]  #! log_q[items] => log_q
    same = items[:, None] == items[None, :]
    same.fill_diagonal_(False)
    logits = logits.masked_fill(same, float("-inf"))
    target = torch.arange(logits.size(0))
    return 0.5 * (F.cross_entropy(logits, target) + F.cross_entropy(logits.T, target))


@torch.inference_mode()
def recall_at_k(model, loader, index, k=10):
    hits = total = 0
    for f in loader:
        scores = model.encode_user(f) @ index.t()
        top = scores.topk(k, dim=1).indices
        hits += (top == f.item.unsqueeze(1)).any(dim=1).sum().item()  #! f.item.unsqueeze(1) => f.item.unsqueeze(0)
        total += f.item.numel()
    reveal_type(top)
    return hits / total


n_users, n_items = 50, 120
data = Events(n_users, n_items, 256)
order = np.random.RandomState(0).permutation(len(data))
train, test = Subset(data, order[:192]), Subset(data, order[192:].tolist())
counts = Counter(data[i].item for i in order[:192])
log_q = torch.tensor([counts.get(i, 0) + 1 for i in range(n_items)], dtype=torch.float)
log_q = (log_q / log_q.sum()).log()
model = TwoTower(n_users, n_items)
dense = [p for n, p in model.named_parameters() if "user." not in n]
opt = torch.optim.Adagrad(model.parameters(), lr=0.05)
for epoch in range(2):
    model.train()
    for f in DataLoader(train, batch_size=32, shuffle=True, collate_fn=collate):
        logits = model(f)
        loss = in_batch_softmax(logits, f.item, log_q)
        opt.zero_grad()
        loss.backward()
        opt.step()
reveal_type(logits)
model.eval()
all_items = torch.arange(n_items)
index = model.encode_item(all_items, torch.stack([all_items % 5, (all_items + 1) % 5], dim=1))  #! dim=1) => dim=0)
reveal_type(index)
recall_at_k(model, DataLoader(test, batch_size=32, collate_fn=collate), index)

"""Kaggle-like tabular training: NumPy features, k-fold, embeddings for categories, swish blocks, early stopping."""
from dataclasses import dataclass, field
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass
class CFG:
    n_rows: int = 300
    cards: list = field(default_factory=lambda: [5, 12, 3])
    n_num: int = 9
    hidden: tuple = (64, 32)
    folds: int = 5
    bs: int = 32
    epochs: int = 2
    n_classes: int = 4


def make_frame(cfg):
    rng = np.random.default_rng(0)
    cats = np.stack([rng.integers(0, c, size=cfg.n_rows) for c in cfg.cards], axis=1)  #! axis=1 => axis=0
    nums = rng.normal(size=(cfg.n_rows, cfg.n_num))
    nums = (nums - nums.mean(axis=0)) / nums.std(axis=0)  #! nums.mean(axis=0) => nums.mean(axis=1)
    target = rng.integers(0, cfg.n_classes, cfg.n_rows)
    return cats.astype(np.int64), nums.astype("float32"), target


def kfold(n, k, seed=0):
    idx = np.random.RandomState(seed).permutation(n)
    for part in np.array_split(idx, k):
        yield np.setdiff1d(idx, part), part


def emb_dim(card):
    return min(50, (card + 1) // 2)


class Swish(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(x)


class TabNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.embs = nn.ModuleList([nn.Embedding(c, emb_dim(c)) for c in cfg.cards])
        self.bn = nn.BatchNorm1d(cfg.n_num)
        width = sum(e.embedding_dim for e in self.embs) + cfg.n_num  #! + cfg.n_num => 
        blocks = []
        for h in cfg.hidden:
            blocks.append(nn.Sequential(nn.Linear(width, h), nn.BatchNorm1d(h), Swish(), nn.Dropout(0.1)))  #! nn.BatchNorm1d(h) => nn.BatchNorm1d(width)
            width = h
        self.blocks = nn.Sequential(*blocks)
        self.head = nn.Linear(cfg.hidden[-1], cfg.n_classes)  #! cfg.hidden[-1] => cfg.hidden[0]

    def forward(self, cat, num):
        e = torch.cat([emb(cat[:, i]) for i, emb in enumerate(self.embs)], dim=1)  #! dim=1 => dim=0
        x = torch.cat([e, self.bn(num)], 1)
        return self.head(self.blocks(x))


def log_loss(y, p, eps=1e-7):
    p = np.clip(p, eps, 1 - eps)
    return -np.log(p[np.arange(len(y)), y]).mean()


def to_loader(cats, nums, y, idx, bs, train):
    ds = TensorDataset(torch.from_numpy(cats[idx]), torch.from_numpy(nums[idx]), torch.as_tensor(y[idx]))  #! torch.from_numpy(nums[idx]) => torch.from_numpy(nums)
    return DataLoader(ds, batch_size=bs, shuffle=train, drop_last=train)


def run():
    cfg = CFG()
    cats, nums, y = make_frame(cfg)
    reveal_type(cats)
    oof = np.zeros((cfg.n_rows, cfg.n_classes))
    losses = []
    for fold, (tr, va) in enumerate(kfold(cfg.n_rows, cfg.folds)):
        model = TabNet(cfg)
        opt = torch.optim.AdamW(model.parameters(), lr=2e-3, weight_decay=1e-2)
        tl = to_loader(cats, nums, y, tr, cfg.bs, True)
        vl = to_loader(cats, nums, y, va, cfg.bs, False)
        sched = torch.optim.lr_scheduler.OneCycleLR(opt, 5e-3, epochs=cfg.epochs, steps_per_epoch=len(tl))
        best, best_state = np.inf, None
        for epoch in range(cfg.epochs):
            model.train()
            for c, x, t in tl:
                out = model(c, x)
                loss = nn.functional.cross_entropy(out, t)  #! cross_entropy(out, t) => mse_loss(out, t.float())
                opt.zero_grad()
                loss.backward()
                opt.step()
                sched.step()
            model.eval()
            with torch.no_grad():
                p = torch.cat([model(c, x).softmax(1) for c, x, _ in vl]).numpy()
            score = log_loss(y[va], p)  #! y[va] => y
            if score < best:
                best, best_state = score, {k: v.clone() for k, v in model.state_dict().items()}
        model.load_state_dict(best_state)
        oof[va] = p  #! oof[va] => oof
        losses.append(best)
        reveal_type(p)
    reveal_type(oof.argmax(1))
    print("cv", np.mean(losses), (oof.argmax(axis=1) == y).mean())


if __name__ == "__main__":
    run()

"""Fine-tuning with parameter groups: decay by depth, filtered names, ParameterList prompts, weight averaging, tied heads replaced."""
import copy
import math
from collections import OrderedDict, defaultdict

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

CONFIG = {
    "vocab": 120, "dim": 48, "heads": 4, "depth": 3, "prompt": 5, "max_len": 40,
    "optim": {"lr": 1e-3, "decay": 0.8, "weight_decay": 0.05},
    "train": {"batch": 16, "samples": 100, "split": 0.8},
}


class Block(nn.Module):
    def __init__(self, dim, heads, ratio=4):
        super().__init__()
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.mlp = nn.Sequential(OrderedDict([
            ("up", nn.Linear(dim, dim * ratio)),
            ("act", nn.GELU()),
            ("down", nn.Linear(dim * ratio, dim)),  #! dim * ratio, dim => dim, dim * ratio
        ]))

    def forward(self, x, prefix=None):
        h = self.norm1(x)
        kv = h if prefix is None else torch.cat([prefix.expand(x.size(0), -1, -1), h], dim=1)  #! dim=1 => dim=2
        x = x + self.attn(h, kv, kv, need_weights=False)[0]
        return x + self.mlp(self.norm2(x))


class PromptEncoder(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        dim = cfg["dim"]
        self.embed = nn.Embedding(cfg["vocab"], dim)
        self.pos = nn.Parameter(torch.zeros(1, cfg["max_len"], dim))
        self.prompts = nn.ParameterList([nn.Parameter(torch.randn(1, cfg["prompt"], dim) * 0.02) for _ in range(cfg["depth"])])  #! cfg["prompt"], dim => dim, cfg["prompt"]
        self.blocks = nn.ModuleList(Block(dim, cfg["heads"]) for _ in range(cfg["depth"]))
        self.norm = nn.LayerNorm(dim)
        self.head = nn.Linear(dim, cfg["vocab"], bias=False)
        self.head.weight = self.embed.weight  #! self.embed.weight => nn.Parameter(self.embed.weight.t())

    def forward(self, tokens):
        x = self.embed(tokens) + self.pos[:, : tokens.shape[1]]  #! : tokens.shape[1] => : tokens.shape[0]
        for block, prompt in zip(self.blocks, self.prompts):
            x = block(x, prompt)
        return self.head(self.norm(x))


def groups(model, lr, decay, weight_decay):
    table = defaultdict(lambda: {"params": [], "names": []})
    for name, p in model.named_parameters():
        if not p.requires_grad:
            continue
        depth = int(name.split(".")[1]) + 1 if name.startswith("blocks.") else 0
        key = (depth, p.ndim < 2)
        table[key]["params"].append(p)
        table[key]["names"].append(name)
    total = max(k[0] for k in table)
    return [{"params": g["params"], "lr": lr * decay ** (total - d), "weight_decay": 0.0 if flat else weight_decay}
            for (d, flat), g in sorted(table.items())]


@torch.no_grad()
def ema_update(average, model, beta=0.99):
    for a, p in zip(average.parameters(), model.parameters()):
        a.mul_(beta).add_(p, alpha=1 - beta)


def penalty(model, anchor):
    return sum(((p - anchor[n]) ** 2).sum() for n, p in model.named_parameters() if "prompts" not in n)  #! anchor[n] => anchor["pos"]


def main(cfg=CONFIG):
    torch.manual_seed(0)
    tokens = torch.randint(1, cfg["vocab"], (cfg["train"]["samples"], 21))
    cut = int(cfg["train"]["split"] * len(tokens))
    train, held = tokens[:cut], tokens[cut:]
    loader = DataLoader(TensorDataset(train[:, :-1], train[:, 1:]), batch_size=cfg["train"]["batch"], shuffle=True)  #! train[:, 1:] => train[1:]
    model = PromptEncoder(cfg)
    average = copy.deepcopy(model)
    anchor = {n: p.detach().clone() for n, p in model.named_parameters()}
    for name, p in model.named_parameters():
        p.requires_grad = not name.startswith("embed")
    optimizer = torch.optim.AdamW(groups(model, **cfg["optim"]))
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: 0.5 * (1 + math.cos(math.pi * s / 10)))
    for x, y in loader:
        logits = model(x)
        loss = F.cross_entropy(logits.flatten(0, 1), y.flatten()) + 1e-4 * penalty(model, anchor)  #! logits.flatten(0, 1) => logits
        optimizer.zero_grad()
        loss.backward()
        norm = torch.stack([p.grad.norm() for p in model.parameters() if p.grad is not None]).norm()
        optimizer.step()
        schedule.step()
        ema_update(average, model)
    reveal_type(logits)
    reveal_type(norm)
    average.eval()
    with torch.no_grad():
        out = average(held[:, :-1])
    reveal_type(out)
    hits = (out.argmax(-1) == held[:, 1:]).float().mean(1)  #! out.argmax(-1) => out.argmax(1)
    reveal_type(hits)
    model.head = nn.Linear(cfg["dim"], 7)  #! cfg["dim"] => cfg["vocab"]
    reveal_type(model(held[:4]))


if __name__ == "__main__":
    main()

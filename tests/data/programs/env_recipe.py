import json
import os
from dataclasses import asdict, dataclass, field, replace
from types import SimpleNamespace
from typing import List, Optional

import torch
import torch.nn as nn
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, SequentialSampler, TensorDataset

DIM = int(os.environ.get("RECIPE_DIM", 12))
DEPTH = int(os.getenv("RECIPE_DEPTH", "3"))
PRESETS = json.loads('{"tiny": {"width": 16, "norm": "batch"}, "base": {"width": 64, "norm": "layer", "out": 2}}')


@dataclass
class Recipe:
    width: int = 32
    depth: int = DEPTH
    norm: Optional[str] = None
    out: int = 1
    dims: List[int] = field(default_factory=lambda: [DIM])

    @property
    def layers(self):
        return [*self.dims, *[self.width] * self.depth]

    def __post_init__(self):
        if self.width % 4:
            raise ValueError("width must be a multiple of 4")


def make(preset):
    recipe = replace(Recipe(), **PRESETS[preset])
    return SimpleNamespace(**asdict(recipe), layers=recipe.layers, lr=float(os.environ.get("LR", "1e-2")))


def norm_of(name, width):
    if name == "batch":
        return nn.BatchNorm1d(width)
    elif name == "layer":
        return nn.LayerNorm(width)  #! nn.LayerNorm(width) => nn.LayerNorm((1, width))
    return nn.Identity()


class Regressor(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        seq = nn.Sequential()
        for i in range(len(cfg.layers) - 1):
            seq.add_module(f"fc{i}", nn.Linear(cfg.layers[i], cfg.layers[i + 1]))  #! cfg.layers[i], cfg => cfg.layers[i + 1], cfg
            seq.add_module(f"norm{i}", norm_of(cfg.norm, cfg.layers[i + 1]))
            seq.add_module(f"act{i}", nn.SiLU())
        self.trunk = seq
        self.head = nn.Linear(cfg.layers[-1], cfg.out)  #! cfg.layers[-1] => cfg.layers[0]

    def forward(self, x):
        return self.head(self.trunk(x))


def main():
    cfg = make("base")
    x = torch.randn(50, DIM)
    w = torch.randn(DIM, cfg.out)
    y = x @ w + 0.1 * torch.randn(50, 2)  #! torch.randn(50, 2) => torch.randn(50, 3)
    data = TensorDataset(x, y)
    sampler = BatchSampler(RandomSampler(data), batch_size=8, drop_last=False)
    loader = DataLoader(data, batch_sampler=sampler)
    model = Regressor(cfg)
    opt = torch.optim.SGD(model.parameters(), lr=cfg.lr)
    ema = {k: v.clone() for k, v in model.state_dict().items()}
    for batch in loader:
        inputs, targets = batch
        out = model(inputs)
        reveal_type(out)
        loss = ((out - targets) ** 2).mean()  #! (out - targets) => (out - targets.T)
        opt.zero_grad()
        loss.backward()
        opt.step()
        for k, v in model.state_dict().items():
            ema[k].mul_(0.9).add_(v, alpha=0.1)
    model.load_state_dict(ema)
    whole = DataLoader(data, sampler=SequentialSampler(data), batch_size=20)
    outputs = torch.vstack([model(a).detach() for a, _ in whole])
    residual = y - outputs
    cov = residual.T @ residual / len(residual)  #! residual.T @ residual => residual @ residual
    reveal_type(cov)
    print(torch.linalg.solve(cov, residual.mean(0)))  #! residual.mean(0) => residual.mean(1)


if __name__ == "__main__":
    main()

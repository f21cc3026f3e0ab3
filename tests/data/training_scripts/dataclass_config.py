from dataclasses import dataclass, field
from typing import Optional
import sys
import torch
import torch.nn as nn


@dataclass
class Config:
    width: int = 8
    steps: int = 3
    clip: Optional[float] = None
    schedule: str = "none"
    layers: list = field(default_factory=list)
    verbose: bool = False


class Trainer:
    def __init__(self, config):
        self.config = config
        modules, last = [], config.width
        for width in config.layers:
            modules.append(nn.Linear(last, width))
            last = width
        modules.append(nn.Linear(last, 1))
        self.net = nn.Sequential(*modules)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
        if config.schedule == "cosine":
            self.schedule = torch.optim.lr_scheduler.CosineAnnealingLR(self.opt, config.steps)
        elif config.schedule == "none":
            self.schedule = None
        else:
            raise ValueError(config.schedule)

    def train(self):
        for step in range(self.config.steps):
            loss = self.net(torch.rand(4, self.config.width)).mean()
            self.opt.zero_grad()
            loss.backward()
            if self.config.clip:
                nn.utils.clip_grad_norm_(self.net.parameters(), self.config.clip)
            self.opt.step()
            if self.schedule is not None:
                self.schedule.step()
            if self.config.verbose and step % 2 == 0:
                print(step)


Trainer(Config(layers=[16, 16], schedule="cosine" if len(sys.argv) > 1 else sys.argv[0], clip=1.0 if torch.cuda.is_available() else None)).train()

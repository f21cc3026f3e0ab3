from pathlib import Path

import torch
from omegaconf import OmegaConf
from torch import nn
from torch.utils.data import DataLoader, Dataset

import encoders


class Multi(Dataset):
    def __init__(self, image, tasks, n=20):
        self.image, self.tasks, self.n = image, tasks, n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        targets = []
        for t in self.tasks:
            if t.kind == "regression":
                targets.append(torch.randn(t.outputs))
            elif t.kind == "classification":
                targets.append(torch.tensor(i % t.outputs))
            else:
                targets.append(torch.rand(t.outputs).round())  #! torch.rand(t.outputs) => torch.rand(())
        return torch.rand(*self.image), targets


class MultiNet(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        cls = getattr(encoders, cfg.encoder.name)
        self.encoder = cls(cfg.image, **cfg.encoder.args)  #! cfg.image => cfg.image[::-1]
        self.heads = nn.ModuleList([nn.Linear(cfg.embed, t.outputs) for t in cfg.tasks])  #! cfg.embed => 32
        self.log_vars = nn.Parameter(torch.zeros(len(cfg.tasks)))

    def forward(self, x):
        z = self.encoder(x)
        reveal_type(z)
        return [head(z) for head in self.heads]


LOSSES = {"regression": nn.MSELoss(reduction="none"), "classification": nn.CrossEntropyLoss(), "binary": nn.BCEWithLogitsLoss()}


def total_loss(outputs, targets, cfg, log_vars):
    losses = [LOSSES[t.kind](o, y).mean() for o, y, t in zip(outputs, targets, cfg.tasks)]
    losses = torch.stack(losses)
    return (losses * torch.exp(-log_vars) + log_vars).sum()


def main():
    here = Path(__file__).parent / "conf"
    cfg = OmegaConf.merge(OmegaConf.load(here / "base.yaml"), OmegaConf.load(here / "large.yaml"), OmegaConf.from_dotlist(["optim.batch=4"]))
    torch.manual_seed(cfg.seed)
    net = MultiNet(cfg)
    loader = DataLoader(Multi(cfg.image, cfg.tasks), batch_size=cfg.optim.batch, shuffle=True)
    opt = torch.optim.Adam(net.parameters(), lr=cfg.optim.lr)
    for images, targets in loader:
        reveal_type(images)
        outputs = net(images)  #! net(images) => net(images.squeeze(0))
        loss = total_loss(outputs, targets, cfg, net.log_vars)
        opt.zero_grad()
        loss.backward()
        opt.step()
    last = torch.cat(outputs, dim=1)  #! dim=1 => dim=0
    reveal_type(last)
    sizes = [t.outputs for t in cfg.tasks]
    first, second, third = last.split(sizes, dim=1)  #! sizes, dim=1 => sizes[:2], dim=1
    print(first.shape, second.shape, third.shape, torch.linalg.norm(first @ torch.ones(first.shape[1])))  #! first.shape[1] => second.shape[1]
    restored = OmegaConf.to_container(cfg, resolve=True)
    print(restored["embed"])


if __name__ == "__main__":
    main()

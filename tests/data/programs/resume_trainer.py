"""A trainer that logs, saves the best and the last state, and goes on from there."""
import argparse
import csv
import json
import logging
import tempfile
from collections import defaultdict, deque
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset, random_split

log = logging.getLogger(__name__)


class Average:
    def __init__(self, window=5):
        self.recent, self.total, self.count = deque(maxlen=window), 0.0, 0

    def update(self, value, n=1):
        self.recent.append(value)
        self.total += value * n
        self.count += n

    @property
    def value(self):
        return self.total / max(self.count, 1)


class Waves(Dataset):
    def __init__(self, n, length, kinds):
        self.n, self.length, self.kinds = n, length, kinds

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        t = torch.linspace(0, 6.28, self.length)
        wave = torch.stack([torch.sin((i % self.kinds + 1) * t), torch.cos((i % self.kinds + 1) * t)])  #! torch.stack([ => torch.cat([
        return {"wave": wave + 0.1 * torch.randn_like(wave), "kind": i % self.kinds, "id": str(i)}


class ConvNet(nn.Module):
    def __init__(self, length=64, kinds=4, channels=(8, 16), kernel=5):
        super().__init__()
        self.hparams = dict(length=length, kinds=kinds, channels=channels, kernel=kernel)
        layers, c = [], 2
        for out in channels:
            layers += [nn.Conv1d(c, out, kernel, padding=kernel // 2), nn.BatchNorm1d(out), nn.ReLU(), nn.MaxPool1d(2)]  #! nn.BatchNorm1d(out) => nn.BatchNorm1d(c)
            c = out
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Linear(c * (length // 2 ** len(channels)), kinds)  #! 2 ** len(channels) => 2

    def forward(self, x):
        return self.classifier(self.features(x).flatten(1))


class Trainer:
    def __init__(self, net, folder, lr=1e-2):
        self.net, self.folder = net, Path(folder)
        self.opt = torch.optim.Adam(net.parameters(), lr=lr)
        self.sched = torch.optim.lr_scheduler.ReduceLROnPlateau(self.opt, patience=1)
        self.epoch, self.best = 0, float("inf")
        self.history = defaultdict(list)

    def state(self):
        return {"net": self.net.state_dict(), "opt": self.opt.state_dict(), "epoch": self.epoch, "best": self.best, "hparams": self.net.hparams}

    @classmethod
    def resume(cls, path):
        saved = torch.load(path, weights_only=False)
        net = ConvNet(**saved["hparams"])  #! **saved["hparams"] => **{**saved["hparams"], "kernel": 3}
        net.load_state_dict(saved["net"])
        trainer = cls(net, path.parent)
        trainer.opt.load_state_dict(saved["opt"])
        trainer.epoch, trainer.best = saved["epoch"], saved["best"]
        return trainer

    def run(self, loader, train=True):
        self.net.train(train)
        loss_meter, hits = Average(), Average()
        with torch.set_grad_enabled(train):
            for batch in loader:
                logits = self.net(batch["wave"])  #! batch["wave"] => batch["wave"].mT
                loss = nn.functional.cross_entropy(logits, batch["kind"])  #! batch["kind"] => batch["kind"].unsqueeze(1)
                if train:
                    self.opt.zero_grad()
                    loss.backward()
                    self.opt.step()
                loss_meter.update(loss.item(), len(logits))
                hits.update((logits.argmax(1) == batch["kind"]).float().mean().item(), len(logits))
        reveal_type(logits)
        return loss_meter.value, hits.value

    def fit(self, train, valid, epochs):
        while self.epoch < epochs:
            self.history["train"].append(self.run(train))
            loss, acc = self.run(valid, train=False)
            self.sched.step(loss)
            self.epoch += 1
            if loss < self.best:
                self.best = loss
                torch.save(self.state(), self.folder / "best.pt")
            torch.save(self.state(), self.folder / "last.pt")
            log.info("epoch %d loss %.3f accuracy %.2f", self.epoch, loss, acc)
        with open(self.folder / "history.csv", "w", newline="") as f:
            csv.writer(f).writerows(self.history["train"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, default=Path(tempfile.mkdtemp()))
    parser.add_argument("--epochs", type=int, default=1)
    args = parser.parse_args()
    data = Waves(50, 64, 4)
    train, valid = random_split(data, [0.8, 0.2])
    loaders = DataLoader(train, 16, shuffle=True), DataLoader(valid, 16)
    Trainer(ConvNet(), args.out).fit(*loaders, args.epochs)
    trainer = Trainer.resume(args.out / "last.pt")
    trainer.fit(*loaders, args.epochs + 1)
    first = trainer.net.features[0].weight
    reveal_type(first)
    spectrum = torch.fft.rfft(first, dim=-1).abs()
    print(json.dumps({"norms": (spectrum @ torch.ones(3)).norm(dim=1).tolist()}))  #! torch.ones(3) => torch.ones(5)


if __name__ == "__main__":
    main()

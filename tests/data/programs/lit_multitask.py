"""A Lightning-like trainer written by hand; multi-task face net with heads by configuration, callbacks and metrics."""
from abc import ABC, abstractmethod
from functools import partial
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import ConcatDataset, DataLoader, Dataset, WeightedRandomSampler

CONFIG = {
    "backbone": [("conv", 16, 3, 2), ("conv", 32, 3, 2), ("res", 32), ("conv", 64, 3, 2), ("res", 64)],
    "heads": {"age": dict(kind="regress", out=1), "emotion": dict(kind="classify", out=7), "points": dict(kind="regress", out=10)},
    "batch": 10,
}


class Residual(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.f = nn.Sequential(nn.Conv2d(c, c, 3, 1, 1), nn.BatchNorm2d(c), nn.ReLU(), nn.Conv2d(c, c, 3, 1, 1))  #! nn.Conv2d(c, c, 3, 1, 1)) => nn.Conv2d(c, c, 3))

    def forward(self, x):
        return F.relu(x + self.f(x))


def build(spec, c=3):
    layers = []
    for kind, *args in spec:
        if kind == "conv":
            out, k, s = args
            layers.append(nn.Sequential(nn.Conv2d(c, out, k, s, k // 2), nn.ReLU()))
            c = out
        elif kind == "res":
            layers.append(Residual(args[0]))
        else:
            raise ValueError(f"unknown layer {kind!r}")
    return nn.Sequential(*layers), c


class Faces(Dataset):
    def __init__(self, n, size=48, offset=0.0):
        self.x = torch.rand(n, 3, size, size) + offset  #! n, 3, size, size => n, size, size, 3
        self.age = torch.rand(n) * 80
        self.emotion = torch.randint(0, 7, (n,))
        self.points = torch.rand(n, 5, 2)

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        return {"image": self.x[i], "age": self.age[i], "emotion": self.emotion[i], "points": self.points[i]}


class Module(nn.Module, ABC):
    @abstractmethod
    def training_step(self, batch, batch_idx): ...

    def validation_step(self, batch, batch_idx):
        return self.training_step(batch, batch_idx)

    def log(self, name, value):
        self.__dict__.setdefault("logged", {}).setdefault(name, []).append(float(value))


class MultiTask(Module):
    losses = {"regress": F.smooth_l1_loss, "classify": F.cross_entropy}

    def __init__(self, config):
        super().__init__()
        self.backbone, c = build(config["backbone"])
        self.kinds = {n: h["kind"] for n, h in config["heads"].items()}
        self.heads = nn.ModuleDict({n: nn.Sequential(nn.Linear(c, 24), nn.ReLU(), nn.Linear(24, h["out"])) for n, h in config["heads"].items()})  #! nn.Linear(c, 24) => nn.Linear(32, 24)
        self.log_vars = nn.ParameterDict({n: nn.Parameter(torch.zeros(())) for n in self.heads})

    def forward(self, x):
        z = self.backbone(x).mean(dim=(2, 3))  #! .mean(dim=(2, 3)) => .mean(dim=3)
        return {name: head(z) for name, head in self.heads.items()}

    def training_step(self, batch, batch_idx):
        out = self(batch["image"])
        target = {"age": batch["age"].unsqueeze(1), "emotion": batch["emotion"], "points": batch["points"].flatten(1)}  #! batch["points"].flatten(1) => batch["points"] #! batch["emotion"] => batch["age"].unsqueeze(1)
        total = 0
        for name, y in out.items():
            loss = self.losses[self.kinds[name]](y, target[name])
            total = total + torch.exp(-self.log_vars[name]) * loss + self.log_vars[name]
            self.log(name, loss)
        return {"loss": total, "out": out}

    def configure_optimizers(self):
        opt = torch.optim.SGD(self.parameters(), 0.01)
        return {"optimizer": opt, "lr_scheduler": torch.optim.lr_scheduler.CosineAnnealingLR(opt, 4)}


class Callback:
    def on_batch_end(self, trainer, outputs, batch): pass
    def on_epoch_end(self, trainer): pass


class Confusion(Callback):
    def __init__(self, n):
        self.matrix = torch.zeros(n, n, dtype=torch.long)

    def on_batch_end(self, trainer, outputs, batch):
        pred, y = outputs["out"]["emotion"].argmax(1), batch["emotion"]  #! .argmax(1) => .argmax(0)
        n = self.matrix.size(0)
        self.matrix += torch.bincount(y * n + pred, minlength=n * n).view(n, n)  #! .view(n, n) => .view(n, -1, 2)


class Trainer:
    def __init__(self, epochs, callbacks=()):
        self.epochs, self.callbacks = epochs, list(callbacks)

    def call(self, hook, *args):
        for cb in self.callbacks:
            getattr(cb, hook)(self, *args)

    def fit(self, model, train, val=None):
        setup = model.configure_optimizers()
        opt, sched = setup["optimizer"], setup["lr_scheduler"]
        for self.epoch in range(self.epochs):
            for i, batch in enumerate(train):
                outputs = model.training_step(batch, i)
                opt.zero_grad()
                outputs["loss"].backward()
                opt.step()
                self.call("on_batch_end", outputs, batch)
            sched.step()
            if val is not None:
                model.eval()
                with torch.no_grad():
                    scores = [model.validation_step(b, i)["loss"] for i, b in enumerate(val)]
                self.val_loss = torch.stack(scores).mean()
                model.train()
            self.call("on_epoch_end")
        return outputs


data = ConcatDataset([Faces(23), Faces(17, offset=0.1)])
weights = torch.ones(len(data))
train = DataLoader(data, CONFIG["batch"], sampler=WeightedRandomSampler(weights, 30))
model = MultiTask(CONFIG)
confusion = Confusion(7)
trainer = Trainer(2, [confusion])
last = trainer.fit(model, train, DataLoader(Faces(8), 4))
reveal_type(last["out"]["points"])
reveal_type(confusion.matrix)
reveal_type(trainer.val_loss)
recall = confusion.matrix.diag() / confusion.matrix.sum(1).clamp(min=1)
reveal_type(recall)
reveal_type(model.backbone(torch.rand(1, 3, 64, 40)))

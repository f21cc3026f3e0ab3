"""A project with its own small training framework: a module with training_step, callbacks, a data module, and a fit loop."""
import abc
import logging
import time
from collections import defaultdict
from typing import Any, Dict, Optional

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import BatchSampler, ConcatDataset, DataLoader, Dataset, RandomSampler, SequentialSampler, WeightedRandomSampler

log = logging.getLogger(__name__)


class Module(nn.Module, abc.ABC):
    def __init__(self):
        super().__init__()
        self.history = defaultdict(list)
        self.trainer: Optional["Trainer"] = None

    def log(self, name, value, prog_bar=False):
        self.history[name].append(float(value))

    @abc.abstractmethod
    def training_step(self, batch, batch_idx):
        ...

    def validation_step(self, batch, batch_idx):
        return None

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=getattr(self, "lr", 1e-3))


class Callback:
    def on_fit_start(self, trainer, module): pass
    def on_epoch_end(self, trainer, module): pass


class EarlyStopping(Callback):
    def __init__(self, monitor, patience=1):
        self.monitor, self.patience, self.best, self.wait = monitor, patience, float("inf"), 0

    def on_epoch_end(self, trainer, module):
        values = module.history.get(self.monitor)
        if not values:
            return
        if values[-1] < self.best:
            self.best, self.wait = values[-1], 0
        else:
            self.wait += 1
            trainer.should_stop = self.wait > self.patience


class Timer(Callback):
    def on_fit_start(self, trainer, module):
        self.start = time.time()

    def on_epoch_end(self, trainer, module):
        log.info("epoch took %.2f", time.time() - self.start)


class Trainer:
    def __init__(self, max_epochs=1, callbacks=None, accumulate=1, clip=None):
        self.max_epochs, self.callbacks = max_epochs, list(callbacks or [])
        self.accumulate, self.clip, self.should_stop = accumulate, clip, False

    def call(self, hook, module):
        for cb in self.callbacks:
            getattr(cb, hook)(self, module)

    def fit(self, module, data):
        module.trainer = self
        opt = module.configure_optimizers()
        opt, sched = opt if isinstance(opt, tuple) else (opt, None)
        self.call("on_fit_start", module)
        for epoch in range(self.max_epochs):
            module.train()
            for i, batch in enumerate(data.train_dataloader()):
                loss = module.training_step(batch, i)
                if isinstance(loss, dict):
                    loss = loss["loss"]
                (loss / self.accumulate).backward()
                if (i + 1) % self.accumulate == 0:
                    if self.clip:
                        nn.utils.clip_grad_value_(module.parameters(), self.clip)
                    opt.step()
                    opt.zero_grad()
            if sched:
                sched.step()
            module.eval()
            with torch.no_grad():
                outs = [module.validation_step(b, i) for i, b in enumerate(data.val_dataloader())]
            self.call("on_epoch_end", module)
            if self.should_stop:
                break
        return outs

    @torch.no_grad()
    def predict(self, module, loader):
        module.eval()
        return torch.cat([module(x) for x, *_ in loader])


class Blobs(Dataset):
    def __init__(self, n, center, label, dim=12):
        self.x = torch.randn(n, dim) + center
        self.label = label

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, i):
        return {"x": self.x[i], "y": torch.tensor(self.label)}


def to_tuple(items):
    return torch.stack([d["x"] for d in items]), torch.stack([d["y"] for d in items])


class BlobData:
    def __init__(self, batch_size=10):
        parts = [Blobs(30, 0.0, 0), Blobs(10, 2.0, 1), Blobs(5, -2.0, 2)]
        self.train = ConcatDataset(parts)
        self.val = ConcatDataset([Blobs(7, 0.0, 0), Blobs(6, 2.0, 1)])
        sizes = torch.tensor([len(p) for p in parts], dtype=torch.float)
        self.weights = torch.cat([torch.full((len(p),), 1.0 / len(p)) for p in parts])
        self.prior = sizes / sizes.sum()
        self.batch_size = batch_size

    def train_dataloader(self):
        sampler = WeightedRandomSampler(self.weights, num_samples=len(self.train), replacement=True)
        return DataLoader(self.train, self.batch_size, sampler=sampler, collate_fn=to_tuple)

    def val_dataloader(self):
        batches = BatchSampler(SequentialSampler(self.val), batch_size=4, drop_last=True)
        return DataLoader(self.val, batch_sampler=batches, collate_fn=to_tuple)


class Classifier(Module):
    def __init__(self, dim, classes, hidden=(32, 16), prior=None, lr=1e-2):
        super().__init__()
        self.lr = lr
        widths = [dim, *hidden]
        self.body = nn.Sequential(*[nn.Sequential(nn.Linear(a, b), nn.GELU(), nn.LayerNorm(b)) for a, b in zip(widths, widths[1:])])
        self.head = nn.Linear(widths[-1], classes)  #! widths[-1] => widths[0]
        self.register_buffer("log_prior", torch.zeros(classes) if prior is None else prior.log())

    def forward(self, x):
        return self.head(self.body(x)) + self.log_prior

    def training_step(self, batch, batch_idx):
        x, y = batch
        logits = self(x)
        loss = F.cross_entropy(logits, y)
        self.log("train_loss", loss)
        return {"loss": loss, "acc": (logits.argmax(-1) == y).float().mean()}

    def validation_step(self, batch, batch_idx):
        x, y = batch
        reveal_type(x)
        loss = F.nll_loss(F.log_softmax(self(x), dim=1), y)
        self.log("val_loss", loss)
        return loss

    def configure_optimizers(self):
        opt = torch.optim.SGD(self.parameters(), lr=self.lr, momentum=0.9)
        return opt, torch.optim.lr_scheduler.StepLR(opt, 1, 0.5)


data = BlobData()
reveal_type(data.weights)
model = Classifier(12, 3, prior=data.prior)  #! Classifier(12, 3 => Classifier(12, 4
trainer = Trainer(max_epochs=3, callbacks=[EarlyStopping("val_loss"), Timer()], accumulate=2, clip=1.0)
losses = trainer.fit(model, data)
reveal_type(losses[0])
everything = DataLoader(data.train, batch_size=16, collate_fn=to_tuple)
pred = trainer.predict(model, everything)
reveal_type(pred)
reveal_type(model.log_prior)
matrix = torch.zeros(3, 3)
truth = torch.cat([y for _, y in everything])
reveal_type(truth)
matrix.index_put_((truth, pred.argmax(1)), torch.ones(45), accumulate=True)  #! torch.ones(45) => torch.ones(44)

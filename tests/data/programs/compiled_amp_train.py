"""A training engine: compiled model, mixed precision, accumulation, checkpointing of activations, averaged weights, schedules."""
import contextlib
import copy
import logging
import math
import os
import tempfile
import time
from collections import defaultdict, deque

import torch
import torch.distributed as dist
import torch.nn as nn
import torch.nn.functional as F
from torch.nn.parallel import DistributedDataParallel
from torch.optim.lr_scheduler import CosineAnnealingLR, LinearLR, SequentialLR
from torch.utils.checkpoint import checkpoint, checkpoint_sequential
from torch.utils.data import DataLoader, TensorDataset

logger = logging.getLogger(__name__)


class SmoothedValue:
    def __init__(self, window_size=20, fmt="{median:.4f} ({global_avg:.4f})"):
        self.deque = deque(maxlen=window_size)
        self.total, self.count, self.fmt = 0.0, 0, fmt

    def update(self, value, n=1):
        self.deque.append(value)
        self.count += n
        self.total += value * n

    @property
    def median(self):
        return torch.tensor(list(self.deque)).median().item()

    @property
    def global_avg(self):
        return self.total / self.count

    def __str__(self):
        return self.fmt.format(median=self.median, global_avg=self.global_avg)


class MetricLogger:
    def __init__(self, delimiter="  "):
        self.meters = defaultdict(SmoothedValue)
        self.delimiter = delimiter

    def update(self, **kwargs):
        for k, v in kwargs.items():
            if isinstance(v, torch.Tensor):
                v = v.item()
            self.meters[k].update(v)

    def __getattr__(self, attr):
        if attr in self.meters:
            return self.meters[attr]
        if attr in self.__dict__:
            return self.__dict__[attr]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{attr}'")

    def log_every(self, iterable, print_freq, header=None):
        i, start = 0, time.time()
        for obj in iterable:
            yield obj
            if i % print_freq == 0:
                logger.info(self.delimiter.join([header or "", f"[{i}/{len(iterable)}]", str(self.meters["loss"])]))
            i += 1
        logger.info("%s Total time: %.1f", header, time.time() - start)


class LayerNorm2d(nn.LayerNorm):
    def forward(self, x):
        return F.layer_norm(x.permute(0, 2, 3, 1), self.normalized_shape, self.weight, self.bias, self.eps).permute(0, 3, 1, 2)  #! x.permute(0, 2, 3, 1), self => x, self


class ConvNeXtBlock(nn.Module):
    def __init__(self, dim, drop_path=0.0, layer_scale=1e-6):
        super().__init__()
        self.block = nn.Sequential(
            nn.Conv2d(dim, dim, kernel_size=7, padding=3, groups=dim), LayerNorm2d(dim), nn.Conv2d(dim, 4 * dim, 1), nn.GELU(), nn.Conv2d(4 * dim, dim, 1),
        )
        self.layer_scale = nn.Parameter(torch.ones(dim, 1, 1) * layer_scale)  #! torch.ones(dim, 1, 1) => torch.ones(dim)
        self.drop_path = drop_path

    def forward(self, x):
        y = self.layer_scale * self.block(x)
        if self.drop_path > 0 and self.training:
            keep = torch.rand(x.size(0), 1, 1, 1, device=x.device) >= self.drop_path
            y = y * keep / (1 - self.drop_path)
        return x + y


class ConvNeXt(nn.Module):
    def __init__(self, dims=(12, 24), depths=(2, 3), classes=8, use_checkpoint=True):
        super().__init__()
        self.use_checkpoint = use_checkpoint
        self.downs, self.stages = nn.ModuleList(), nn.ModuleList()
        for i, (dim, depth) in enumerate(zip(dims, depths)):
            self.downs.append(nn.Conv2d(3, dim, 4, 4) if i == 0 else nn.Sequential(LayerNorm2d(dims[i - 1]), nn.Conv2d(dims[i - 1], dim, 2, 2)))
            rates = torch.linspace(0, 0.1, depth).tolist()
            self.stages.append(nn.Sequential(*[ConvNeXtBlock(dim, r) for r in rates]))
        self.head = nn.Sequential(nn.LayerNorm(dims[-1]), nn.Linear(dims[-1], classes))

    def forward(self, x):
        for down, stage in zip(self.downs, self.stages):
            x = down(x)
            x = checkpoint_sequential(stage, 2, x, use_reentrant=False) if self.use_checkpoint and self.training else stage(x)
        return self.head(x.mean([-2, -1]))


class ModelEma(nn.Module):
    def __init__(self, model, decay=0.99):
        super().__init__()
        self.module = copy.deepcopy(model)
        self.module.eval()
        self.decay = decay

    @torch.no_grad()
    def update(self, model):
        for ema_v, model_v in zip(self.module.state_dict().values(), model.state_dict().values()):
            ema_v.copy_(self.decay * ema_v + (1 - self.decay) * model_v)


def accuracy(output, target, topk=(1,)):
    with torch.inference_mode():
        maxk = max(topk)
        if target.ndim == 2:
            target = target.max(dim=1)[1]
        _, pred = output.topk(maxk, 1, True, True)
        pred = pred.t()
        correct = pred.eq(target[None])  #! target[None] => target[:, None]
        return [correct[:k].flatten().sum(dtype=torch.float32) * (100.0 / target.size(0)) for k in topk]


def mixup(x, y, num_classes, alpha=0.2):
    lam = torch._sample_dirichlet(torch.tensor([alpha, alpha]))[0]
    onehot = F.one_hot(y, num_classes).to(x.dtype)
    return x.roll(1, 0).mul_(1.0 - lam).add_(x.mul(lam)), onehot.roll(1, 0).mul_(1.0 - lam).add_(onehot.mul(lam))


def set_weight_decay(model, weight_decay):
    decay, no_decay = [], []
    for name, p in model.named_parameters():
        (no_decay if p.ndim <= 1 or name.endswith(".bias") else decay).append(p)
    return [{"params": decay, "weight_decay": weight_decay}, {"params": no_decay, "weight_decay": 0.0}]


def train_one_epoch(model, criterion, optimizer, scaler, loader, epoch, ema=None, accumulate=2, scheduler=None):
    model.train()
    metrics = MetricLogger()
    for i, (image, target) in enumerate(metrics.log_every(loader, 1, f"Epoch: [{epoch}]")):
        image, soft = mixup(image, target, 8)
        sync = contextlib.nullcontext() if (i + 1) % accumulate == 0 or not hasattr(model, "no_sync") else model.no_sync()
        with sync, torch.autocast("cpu", dtype=torch.bfloat16, enabled=scaler is not None):
            output = model(image)
            loss = criterion(output, soft) / accumulate  #! criterion(output, soft) => criterion(output, soft[:, :-1])
        scaler.scale(loss).backward()
        if (i + 1) % accumulate == 0:
            scaler.unscale_(optimizer)
            nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
            scheduler.step()
            if ema:
                ema.update(model)
        acc1, acc5 = accuracy(output, soft, topk=(1, 5))
        metrics.update(loss=loss, acc1=acc1, acc5=acc5.item())
    return output, metrics.acc1.global_avg


def main():
    data = TensorDataset(torch.rand(42, 3, 32, 32), torch.randint(0, 8, (42,)))
    loader = DataLoader(data, batch_size=8, shuffle=True, num_workers=0, pin_memory=False)
    model = ConvNeXt()
    model_without_ddp = model
    if "RANK" in os.environ:
        dist.init_process_group("gloo")
        model = DistributedDataParallel(model)
        model_without_ddp = model.module
    compiled = torch.compile(model, disable=True)
    ema = ModelEma(model_without_ddp)
    optimizer = torch.optim.AdamW(set_weight_decay(model_without_ddp, 0.05), lr=1e-3)
    warmup = LinearLR(optimizer, start_factor=0.1, total_iters=2)
    scheduler = SequentialLR(optimizer, [warmup, CosineAnnealingLR(optimizer, T_max=10)], milestones=[2])
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
    for epoch in range(2):
        output, acc = train_one_epoch(compiled, criterion, optimizer, scaler, loader, epoch, ema, scheduler=scheduler)
    reveal_type(output)
    path = os.path.join(tempfile.mkdtemp(), "checkpoint.pth")
    torch.save({"model": model_without_ddp.state_dict(), "optimizer": optimizer.state_dict(), "ema": ema.state_dict(), "epoch": epoch}, path)
    state = torch.load(path, weights_only=False)
    fresh = ConvNeXt(use_checkpoint=False)
    fresh.load_state_dict(state["model"])
    fresh.load_state_dict({k.removeprefix("module."): v for k, v in state["ema"].items()})
    fresh.eval()
    reveal_type(fresh(torch.rand(3, 3, 64, 64)))
    reveal_type(accuracy(torch.randn(6, 8), torch.randint(0, 8, (6,)), (1, 3))[1])


if __name__ == "__main__":
    main()

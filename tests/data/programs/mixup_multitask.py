import os, sys, time, math, random
import numpy as np
import torch
from torch import nn
from torch.optim.lr_scheduler import OneCycleLR, CosineAnnealingWarmRestarts, SequentialLR, LinearLR
from torch.utils.data import DataLoader, default_collate
import torchvision
from torchvision import datasets
from torchvision.transforms import v2

CFG = dict(size=48, batch=6, epochs=1, smooth=0.1, n_class=10, tasks={"cls": 10, "angle": 2, "quality": 1}, patience=2)


class MultiTarget(torch.utils.data.Dataset):
    """FakeData with more targets that are made of the label."""

    def __init__(self, n, train=True):
        aug = [v2.RandomResizedCrop(CFG["size"], antialias=True), v2.RandomHorizontalFlip(), v2.RandAugment(2)] if train else [v2.Resize(56), v2.CenterCrop(CFG["size"])]
        self.tf = v2.Compose([v2.ToImage(), *aug, v2.ToDtype(torch.float32, scale=True), v2.Normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])])
        self.base = datasets.FakeData(size=n, image_size=(3, 64, 72), num_classes=CFG["n_class"])

    def __len__(self): return len(self.base)

    def __getitem__(self, i):
        img, y = self.base[i]
        a = 2 * math.pi * y / 10
        return self.tf(img), {"cls": y, "angle": torch.tensor([math.sin(a), math.cos(a)]), "quality": np.float32(y / 10)}


class AverageMeter(object):
    def __init__(self): self.reset()

    def reset(self): self.val = self.avg = self.sum = self.count = 0

    def update(self, val, n=1):
        self.val = val
        self.sum += val * n
        self.count += n
        self.avg = self.sum / self.count


def conv_stage(i, o): return nn.Sequential(nn.Conv2d(i, o, 3, 2, 1), nn.BatchNorm2d(o), nn.Hardswish(), nn.Conv2d(o, o, 3, 1, 1, groups=o), nn.Conv2d(o, o, 1))


class GeM(nn.Module):
    def __init__(self, p=3., eps=1e-6):
        super().__init__()
        self.p = nn.Parameter(torch.ones(1) * p)
        self.eps = eps

    def forward(self, x): return nn.functional.avg_pool2d(x.clamp(min=self.eps).pow(self.p), (x.size(-2), x.size(-1))).pow(1. / self.p)


class Net(nn.Module):
    def __init__(self, tasks, widths=(3, 16, 32, 64)):
        super().__init__()
        self.trunk = nn.Sequential(*map(conv_stage, widths, widths[1:]))  #! widths, widths[1:] => widths[1:], widths[1:]
        self.pool = GeM()
        self.neck = nn.Sequential(nn.Flatten(), nn.Linear(widths[-1], 40), nn.ReLU())  #! nn.Linear(widths[-1], 40) => nn.Linear(widths[-1] * 36, 40)
        self.heads = nn.ModuleDict({k: nn.Linear(40, n) for k, n in tasks.items()})  #! nn.Linear(40, n) => nn.Linear(n, 40)
        self.log_vars = nn.ParameterDict({k: nn.Parameter(torch.zeros(())) for k in tasks})

    def forward(self, x):
        h = self.neck(self.pool(self.trunk(x)))
        return {k: head(h) for k, head in self.heads.items()}


def soft_xent(logits, target):
    return -(target * logits.log_softmax(-1)).sum(-1).mean()


def smooth_onehot(y, n, eps):
    out = torch.full((y.size(0), n), eps / (n - 1))
    return out.scatter_(1, y.unsqueeze(1), 1 - eps)  #! y.unsqueeze(1) => y


def rand_bbox(W, H, lam):
    cut = np.sqrt(1. - lam)
    cw, ch = int(W * cut), int(H * cut)
    cx, cy = np.random.randint(W), np.random.randint(H)
    return np.clip(cx - cw // 2, 0, W), np.clip(cy - ch // 2, 0, H), np.clip(cx + cw // 2, 0, W), np.clip(cy + ch // 2, 0, H)


def mix(x, y, alpha=1.0):
    lam = np.random.beta(alpha, alpha)
    perm = torch.randperm(x.size(0))
    if random.random() < 0.5:
        x1, y1, x2, y2 = rand_bbox(x.size(3), x.size(2), lam)
        x = x.clone()
        x[:, :, y1:y2, x1:x2] = x[perm][:, :, y1:y2, x1:x2]  #! = x[perm][:, :, y1:y2, x1:x2] => = x[perm][:, :2, y1:y2, x1:x2]
        lam = 1 - (x2 - x1) * (y2 - y1) / (x.size(-1) * x.size(-2))
    else:
        x = lam * x + (1 - lam) * x[perm]
    return x, {k: lam * v + (1 - lam) * v[perm] for k, v in y.items()}


def criterion(out, target, model):
    losses = {
        "cls": soft_xent(out["cls"], target["cls"]),
        "angle": nn.functional.smooth_l1_loss(nn.functional.normalize(out["angle"], dim=1), target["angle"]),
        "quality": nn.functional.binary_cross_entropy_with_logits(out["quality"].squeeze(1), target["quality"].float())}  #! out["quality"].squeeze(1) => out["quality"]
    return sum(torch.exp(-model.log_vars[k]) * l + model.log_vars[k] for k, l in losses.items()), losses


def prepare(target):
    return {**target, "cls": smooth_onehot(target["cls"], CFG["n_class"], CFG["smooth"])}  #! CFG["n_class"], CFG["smooth"] => CFG["n_class"] + 1, CFG["smooth"]


def run(loader, model, opt=None, sched=None):
    meters = {k: AverageMeter() for k in CFG["tasks"]}
    training = opt is not None
    model.train(training)
    with torch.set_grad_enabled(training):
        for x, target in loader:
            raw = target["cls"]
            target = prepare(target)
            if training:
                x, target = mix(x, target)
            out = model(x)
            loss, parts = criterion(out, target, model)
            if training:
                opt.zero_grad()
                loss.backward()
                opt.step()
                sched.step()
            for k, v in parts.items():
                meters[k].update(v.item(), x.size(0))
            acc = (out["cls"].argmax(1) == raw).float().mean()  #! == raw => == raw.unsqueeze(1)[:, :, None][..., 0].expand(2, 3)
    reveal_type(out["angle"])
    return {k: m.avg for k, m in meters.items()}


def main():
    torch.manual_seed(0); np.random.seed(0)
    train, val = MultiTarget(18), MultiTarget(8, train=False)
    cutmix = v2.CutMix(num_classes=CFG["n_class"])
    images, labels = cutmix(*default_collate([(train[i][0], train[i][1]["cls"]) for i in range(4)]))
    reveal_type(images)
    reveal_type(labels)
    loaders = {"train": DataLoader(train, CFG["batch"], True), "val": DataLoader(val, CFG["batch"] // 2, False, drop_last=True)}
    model = Net(CFG["tasks"])
    opt = torch.optim.AdamW(model.parameters(), lr=1e-3)
    steps = len(loaders["train"]) * CFG["epochs"]
    sched = SequentialLR(opt, [LinearLR(opt, 0.1, total_iters=2), CosineAnnealingWarmRestarts(opt, T_0=max(1, steps))], milestones=[2])
    best, bad = float("inf"), 0
    for epoch in range(CFG["epochs"]):
        run(loaders["train"], model, opt, sched)
        scores = run(loaders["val"], model)
        if scores["cls"] < best:
            best, bad = scores["cls"], 0
            state = {k: v.detach().clone() for k, v in model.state_dict().items()}
        else:
            bad += 1
            if bad > CFG["patience"]:
                break
    model.load_state_dict(state)
    reveal_type(model(torch.randn(5, 3, CFG["size"], CFG["size"]))["cls"])


if __name__ == "__main__":
    main()

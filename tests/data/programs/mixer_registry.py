"""An MLP-mixer family behind a model registry, with mixup, EMA and a cosine schedule."""
import math
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset

MODELS = {}


def register_model(fn):
    MODELS[fn.__name__] = fn
    return fn


class Mlp(nn.Module):
    def __init__(self, dim, hidden=None, out=None, drop=0.0):
        super().__init__()
        hidden, out = hidden or dim, out or dim
        self.fc1, self.act, self.fc2, self.drop = nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, out), nn.Dropout(drop)

    def forward(self, x):
        return self.drop(self.fc2(self.drop(self.act(self.fc1(x)))))


class MixerBlock(nn.Module):
    def __init__(self, dim, tokens, ratio=(0.5, 4.0), norm=partial(nn.LayerNorm, eps=1e-6)):
        super().__init__()
        t, c = (int(r * dim) for r in ratio)
        self.norm1, self.norm2 = norm(dim), norm(dim)
        self.mlp_tokens, self.mlp_channels = Mlp(tokens, t), Mlp(dim, c)  #! Mlp(tokens, t) => Mlp(dim, t)

    def forward(self, x):
        x = x + self.mlp_tokens(self.norm1(x).transpose(1, 2)).transpose(1, 2)  #! self.norm1(x).transpose(1, 2) => self.norm1(x)
        return x + self.mlp_channels(self.norm2(x))


class Mixer(nn.Module):
    def __init__(self, num_classes=10, img=32, patch=8, depth=3, dim=48, **kwargs):
        super().__init__()
        self.stem = nn.Conv2d(3, dim, patch, patch)
        n = (img // patch) ** 2
        self.blocks = nn.Sequential(*[MixerBlock(dim, n, **kwargs) for _ in range(depth)])
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(dim, num_classes)
        self.apply(self._init)

    @staticmethod
    def _init(m):
        if isinstance(m, nn.Linear):
            nn.init.xavier_uniform_(m.weight)

    def forward_features(self, x):
        x = self.stem(x).flatten(2).transpose(1, 2)  #! .flatten(2).transpose(1, 2) => .flatten(2)
        return self.norm(self.blocks(x))

    def forward(self, x):
        return self.head(self.forward_features(x).mean(dim=1))  #! .mean(dim=1) => .mean(dim=2)


@register_model
def mixer_tiny(**kwargs):
    return Mixer(**{"depth": 2, "dim": 32, **kwargs})


@register_model
def mixer_small(pretrained=False, **kwargs):
    model = Mixer(**dict(depth=4, dim=64, ratio=(0.25, 2.0), **kwargs))
    if pretrained:
        raise RuntimeError("no weights")
    return model


def create_model(name, **kwargs):
    if name not in MODELS:
        raise KeyError(f"unknown model {name}")
    return MODELS[name](**kwargs)


def mixup(x, y, classes, alpha=0.4):
    lam = torch.distributions.Beta(alpha, alpha).sample().item()
    perm = torch.randperm(x.size(0))
    target = F.one_hot(y, classes).float()
    return lam * x + (1 - lam) * x[perm], lam * target + (1 - lam) * target[perm]  #! target[perm] => target[perm[:-1]]


def cosine(step, warm, total):
    if step < warm:
        return step / max(1, warm)
    return 0.5 * (1 + math.cos(math.pi * (step - warm) / max(1, total - warm)))


data = TensorDataset(torch.rand(70, 3, 32, 32), torch.randint(0, 10, (70,)))  #! torch.randint(0, 10, (70,)) => torch.randint(0, 10, (60,))
loader = DataLoader(data, batch_size=16, shuffle=True)
for name in ("mixer_tiny", "mixer_small"):
    model = create_model(name, num_classes=10)
    ema = torch.optim.swa_utils.AveragedModel(model, avg_fn=lambda a, m, n: 0.9 * a + 0.1 * m)
    opt = torch.optim.AdamW(model.parameters(), 1e-3)
    sched = torch.optim.lr_scheduler.LambdaLR(opt, partial(cosine, warm=2, total=10))
    for x, y in loader:
        x, target = mixup(x, y, 10)  #! mixup(x, y, 10) => mixup(x, y, 12)
        loss = torch.sum(-target * F.log_softmax(model(x), dim=-1), dim=-1).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        sched.step()
        ema.update_parameters(model)
    with torch.no_grad():
        scores = torch.cat([model(x).softmax(1) for x, _ in loader])
        labels = torch.cat([y for _, y in loader])
    reveal_type(scores)
    acc = [(scores.topk(k, 1).indices == labels[:, None]).any(1).float().mean().item() for k in (1, 5)]  #! labels[:, None] => labels
reveal_type(target)
reveal_type(model.forward_features(torch.rand(2, 3, 32, 32)))
reveal_type(ema(torch.rand(5, 3, 32, 32)))
reveal_type(create_model("mixer_tiny", num_classes=3, img=64)(torch.rand(1, 3, 64, 64)))

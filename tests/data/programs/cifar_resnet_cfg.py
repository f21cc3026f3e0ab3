"""Wide residual networks by configuration, as one trains them on CIFAR: factory functions, AMP, data parallel, checkpoints."""
import os
import tempfile
from functools import partial

import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
import torchvision.transforms as T
from torch.optim.lr_scheduler import OneCycleLR
from torch.utils.data import DataLoader, Subset

ARCHS = {
    "resnet8": dict(block="basic", depths=[1, 1, 1], widths=[16, 32, 64]),
    "resnet14b": dict(block="bottleneck", depths=[1, 2, 1], widths=[16, 32, 64]),
}
BLOCKS = {}


def register(name):
    def wrap(cls):
        BLOCKS[name] = cls
        return cls
    return wrap


def conv3x3(a, b, stride=1):
    return nn.Conv2d(a, b, 3, stride=stride, padding=1, bias=False)


conv1x1 = partial(nn.Conv2d, kernel_size=1, bias=False)


@register("basic")
class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, cin, width, stride=1):
        super().__init__()
        out = width * self.expansion
        self.body = self._body(cin, width, stride)
        self.shortcut = nn.Identity()
        if stride != 1 or cin != out:
            self.shortcut = nn.Sequential(conv1x1(cin, out, stride=stride), nn.BatchNorm2d(out))

    def _body(self, cin, width, stride):
        return nn.Sequential(conv3x3(cin, width, stride), nn.BatchNorm2d(width), nn.ReLU(), conv3x3(width, width), nn.BatchNorm2d(width))

    def forward(self, x):
        return F.relu(self.body(x) + self.shortcut(x))


@register("bottleneck")
class Bottleneck(BasicBlock):
    expansion = 4

    def _body(self, cin, width, stride):
        layers = [conv1x1(cin, width), nn.BatchNorm2d(width), nn.ReLU()]
        layers += [conv3x3(width, width, stride), nn.BatchNorm2d(width), nn.ReLU()]
        layers += [conv1x1(width, width * self.expansion), nn.BatchNorm2d(width * self.expansion)]  #! conv1x1(width, width * self.expansion) => conv1x1(width, width)
        return nn.Sequential(*layers)


class ResNet(nn.Module):
    def __init__(self, block, depths, widths, num_classes=10):
        super().__init__()
        block = BLOCKS[block]
        self.cin = 16
        self.stem = nn.Sequential(conv3x3(3, self.cin), nn.BatchNorm2d(self.cin), nn.ReLU(inplace=True))
        self.stages = nn.ModuleList()
        for i, (d, w) in enumerate(zip(depths, widths)):
            self.stages.append(self._make_stage(block, w, d, stride=1 if i == 0 else 2))
        self.num_features = self.cin
        self.pool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(self.num_features, num_classes)
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out", nonlinearity="relu")
            elif isinstance(m, nn.BatchNorm2d):
                nn.init.ones_(m.weight)

    def _make_stage(self, block, width, depth, stride):
        layers = []
        for s in [stride] + [1] * (depth - 1):
            layers.append(block(self.cin, width, s))
            self.cin = width * block.expansion  #! width * block.expansion => width * 2
        return nn.Sequential(*layers)

    def forward_features(self, x):
        x = self.stem(x)
        for stage in self.stages:
            x = stage(x)
        return x

    def forward(self, x):
        x = self.forward_features(x)
        reveal_type(x)
        return self.fc(torch.flatten(self.pool(x), 1))  #! torch.flatten(self.pool(x), 1) => self.pool(x)


def build(name, **overrides):
    return ResNet(**{**ARCHS[name], **overrides})


def loaders(root="data", size=100, bs=32):
    tf = T.Compose([T.RandomCrop(32, padding=4), T.RandomHorizontalFlip(), T.ToTensor(), T.Normalize((0.49, 0.48, 0.44), (0.2, 0.2, 0.2))])
    data = torchvision.datasets.FakeData(size, (3, 32, 32), 10, transform=tf)
    split = int(0.8 * len(data))
    train, test = Subset(data, range(split)), Subset(data, range(split, len(data)))
    return DataLoader(train, bs, shuffle=True, drop_last=True), DataLoader(test, bs)


def accuracy(output, target, topk=(1, 5)):
    maxk = max(topk)
    _, pred = output.topk(maxk, 1, True, True)
    pred = pred.t()
    correct = pred.eq(target.view(1, -1).expand_as(pred))
    return [correct[:k].reshape(-1).float().sum(0) * 100.0 / target.size(0) for k in topk]


def run(name):
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    model = build(name, num_classes=10).to(device)
    if torch.cuda.device_count() > 1:
        model = nn.DataParallel(model)
    train, test = loaders()
    opt = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, nesterov=True)
    sched = OneCycleLR(opt, 0.1, epochs=1, steps_per_epoch=len(train))
    scaler = torch.amp.GradScaler(device.type, enabled=device.type == "cuda")
    best = 0.0
    for x, y in train:
        x, y = x.to(device, non_blocking=True), y.to(device)
        with torch.autocast(device.type, dtype=torch.bfloat16, enabled=False):
            out = model(x)
            loss = F.cross_entropy(out, y, label_smoothing=0.1)
        scaler.scale(loss).backward()
        scaler.unscale_(opt)
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        scaler.step(opt)
        scaler.update()
        opt.zero_grad(set_to_none=True)
        sched.step()
    reveal_type(out)
    model.eval()
    with torch.inference_mode():
        for x, y in test:
            top1, top5 = accuracy(model(x.to(device)), y.to(device), topk=(1, 5))  #! topk=(1, 5) => topk=(1, 15)
            best = max(best, top1.item())
    reveal_type(x)
    path = os.path.join(tempfile.mkdtemp(), f"{name}.pt")
    torch.save({"model": model.state_dict(), "best": best}, path)
    state = torch.load(path, map_location="cpu")
    model.load_state_dict(state["model"])
    return model


for arch in ARCHS:
    net = run(arch)
    reveal_type(net.fc.weight)

"""A detector that is built from a list of layer descriptions, with routes and shortcuts, and decoded predictions."""
from __future__ import annotations

import torch
import torch.nn as nn

ANCHORS = [(10, 13), (16, 30), (33, 23), (30, 61), (62, 45), (59, 119)]

CFG = [
    # (from, repeats, kind, args)
    (-1, 1, "Conv", [16, 3, 2]),
    (-1, 1, "Conv", [32, 3, 2]),
    (-1, 2, "C3", [32, True]),  #! [32, True] => [48, True]
    (-1, 1, "Conv", [64, 3, 2]),
    (-1, 1, "C3", [64, True]),
    (-1, 1, "SPPF", [64, 5]),
    (-1, 1, "Conv", [32, 1, 1]),
    (-1, 1, "Upsample", [2]),  #! [2] => [4]
    ([-1, 2], 1, "Concat", [1]),  #! [-1, 2] => [-1, 4]
    (-1, 1, "C3", [32, False]),
    (-1, 1, "Conv", [32, 3, 2]),
    ([-1, 6], 1, "Concat", [1]),
    (-1, 1, "C3", [64, False]),
    ([9, 12], 1, "Detect", [4]),  #! [9, 12] => [12]
]


def autopad(k, p=None):
    return k // 2 if p is None else p


class Conv(nn.Module):
    def __init__(self, c1, c2, k=1, s=1, p=None, g=1, act=True):
        super().__init__()
        self.conv = nn.Conv2d(c1, c2, k, s, autopad(k, p), groups=g, bias=False)
        self.bn = nn.BatchNorm2d(c2)
        self.act = nn.SiLU() if act is True else (act if isinstance(act, nn.Module) else nn.Identity())

    def forward(self, x):
        return self.act(self.bn(self.conv(x)))


class Bottleneck(nn.Module):
    def __init__(self, c1, c2, shortcut=True, e=0.5):
        super().__init__()
        c_ = int(c2 * e)
        self.cv1 = Conv(c1, c_, 1, 1)
        self.cv2 = Conv(c_, c2, 3, 1)  #! c_, c2, 3, 1 => c_, c2, 3, 2
        self.add = shortcut and c1 == c2

    def forward(self, x):
        return x + self.cv2(self.cv1(x)) if self.add else self.cv2(self.cv1(x))


class C3(nn.Module):
    def __init__(self, c1, c2, n=1, shortcut=True, e=0.5):
        super().__init__()
        c_ = int(c2 * e)
        self.cv1 = Conv(c1, c_)
        self.cv2 = Conv(c1, c_)
        self.cv3 = Conv(2 * c_, c2)  #! 2 * c_, c2 => c_, c2
        self.m = nn.Sequential(*(Bottleneck(c_, c_, shortcut, e=1.0) for _ in range(n)))

    def forward(self, x):
        return self.cv3(torch.cat((self.m(self.cv1(x)), self.cv2(x)), dim=1))


class SPPF(nn.Module):
    def __init__(self, c1, c2, k=5):
        super().__init__()
        c_ = c1 // 2
        self.cv1 = Conv(c1, c_, 1, 1)
        self.cv2 = Conv(c_ * 4, c2, 1, 1)
        self.m = nn.MaxPool2d(kernel_size=k, stride=1, padding=k // 2)  #! padding=k // 2 => padding=1

    def forward(self, x):
        x = self.cv1(x)
        y1 = self.m(x)
        y2 = self.m(y1)
        return self.cv2(torch.cat([x, y1, y2, self.m(y2)], 1))


class Concat(nn.Module):
    def __init__(self, dimension=1):
        super().__init__()
        self.d = dimension

    def forward(self, x):
        return torch.cat(x, self.d)


class Detect(nn.Module):
    stride = [8, 16]

    def __init__(self, nc=80, anchors=(), ch=()):
        super().__init__()
        self.nc = nc
        self.no = nc + 5
        self.nl = len(ch)
        self.na = len(anchors[0]) // 2
        self.register_buffer("anchors", torch.tensor(anchors).float().view(self.nl, -1, 2))
        self.m = nn.ModuleList(nn.Conv2d(x, self.no * self.na, 1) for x in ch)  #! self.no * self.na => self.no

    def forward(self, x):
        z = []
        for i in range(self.nl):
            x[i] = self.m[i](x[i])
            bs, _, ny, nx = x[i].shape
            x[i] = x[i].view(bs, self.na, self.no, ny, nx).permute(0, 1, 3, 4, 2).contiguous()
            if not self.training:
                yv, xv = torch.meshgrid(torch.arange(ny), torch.arange(nx), indexing="ij")
                grid = torch.stack((xv, yv), 2).expand((1, self.na, ny, nx, 2)).float()
                xy, wh, conf = x[i].sigmoid().split((2, 2, self.nc + 1), 4)  #! self.nc + 1 => self.nc
                xy = (xy * 2 + grid) * self.stride[i]
                wh = (wh * 2) ** 2 * self.anchors[i].view(1, self.na, 1, 1, 2)  #! view(1, self.na, 1, 1, 2) => view(1, 1, 1, self.na, 2)
                z.append(torch.cat((xy, wh, conf), 4).view(bs, self.na * nx * ny, self.no))
        return x if self.training else (torch.cat(z, 1), x)


def parse_model(cfg, ch):
    anchors = [sum(ANCHORS[3 * i : 3 * i + 3], ()) for i in range(2)]
    layers, save, c2 = [], [], ch[-1]
    for i, (f, n, m, args) in enumerate(cfg):
        m = eval(m) if m != "Upsample" else nn.Upsample
        args = list(args)
        if m in {Conv, C3, SPPF}:
            c1, c2 = ch[f], args[0]
            args = [c1, c2, *args[1:]]
            if m is C3:
                args.insert(2, n)
                n = 1
        elif m is Concat:
            c2 = sum(ch[x] for x in f)
        elif m is Detect:
            args += [anchors, [ch[x] for x in f]]
        elif m is nn.Upsample:
            args = [None, *args]
            c2 = ch[f]
        module = nn.Sequential(*(m(*args) for _ in range(n))) if n > 1 else m(*args)
        module.i, module.f = i, f
        save.extend(x % i for x in ([f] if isinstance(f, int) else f) if x != -1)
        layers.append(module)
        if i == 0:
            ch = []
        ch.append(c2)
    return nn.Sequential(*layers), sorted(save)


class Model(nn.Module):
    def __init__(self, cfg=CFG, ch=3):
        super().__init__()
        self.model, self.save = parse_model(cfg, [ch])

    def forward(self, x):
        y = []
        for m in self.model:
            if m.f != -1:
                x = y[m.f] if isinstance(m.f, int) else [x if j == -1 else y[j] for j in m.f]
            x = m(x)
            y.append(x if m.i in self.save else None)
        return x


model = Model()
features = model(torch.rand(1, 3, 64, 96))
reveal_type(features[0])
reveal_type(features[1])
model.eval()
pred, _ = model(torch.rand(2, 3, 64, 64))  #! 2, 3, 64, 64 => 2, 3, 60, 60
reveal_type(pred)
boxes = pred[..., :4]
scores, classes = (pred[..., 4:5] * pred[..., 5:]).max(-1)
keep = scores > 0.1
reveal_type(scores)
best = torch.gather(boxes, 1, scores.topk(3, dim=1).indices.unsqueeze(-1).expand(-1, -1, 4))  #! .unsqueeze(-1).expand => .expand
reveal_type(best)

import sys, math
import numpy as np
import torch, torch.nn as nn
from PIL import Image, ImageDraw

# a one-file YOLO (v3 flavour): letterboxing with PIL, darknet blocks, three scales, decoding, nms in numpy

anchors = np.array([[10, 13], [16, 30], [33, 23], [30, 61], [62, 45], [59, 119], [116, 90], [156, 198], [373, 326]], dtype=np.float32).reshape(3, 3, 2)
NC = 4
INPUT = 160


def draw_scene(w, h, seed):
    rng = np.random.RandomState(seed)
    im = Image.new("RGB", (w, h), (114, 114, 114))
    d = ImageDraw.Draw(im)
    boxes = []
    for c in range(3):
        x0, y0 = rng.randint(0, w // 2), rng.randint(0, h // 2)
        x1, y1 = x0 + rng.randint(10, w // 2), y0 + rng.randint(10, h // 2)
        d.rectangle([int(x0), int(y0), int(x1), int(y1)], fill=tuple(int(v) for v in rng.randint(0, 255, 3)))
        boxes.append([c, (x0 + x1) / 2 / w, (y0 + y1) / 2 / h, (x1 - x0) / w, (y1 - y0) / h])
    return im, np.array(boxes, dtype=np.float32)


def letterbox(im, size):
    w, h = im.size
    r = min(size / w, size / h)
    nw, nh = int(round(w * r)), int(round(h * r))
    canvas = Image.new("RGB", (size, size), (114, 114, 114))
    canvas.paste(im.resize((nw, nh), Image.BILINEAR), ((size - nw) // 2, (size - nh) // 2))
    a = np.asarray(canvas, dtype=np.float32) / 255.0
    return torch.from_numpy(a.transpose(2, 0, 1).copy())  #! a.transpose(2, 0, 1) => a.transpose(1, 2, 0)


def cbl(i, o, k, s=1):
    return nn.Sequential(nn.Conv2d(i, o, k, s, k // 2, bias=False), nn.BatchNorm2d(o), nn.LeakyReLU(0.1))


class Residual(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.a, self.b = cbl(c, c // 2, 1), cbl(c // 2, c, 3)  #! cbl(c // 2, c, 3) => cbl(c, c, 3)

    def forward(self, x): return x + self.b(self.a(x))


class Darknet(nn.Module):
    def __init__(self, width=8, blocks=(1, 1, 2, 2, 1)):
        super().__init__()
        self.stem = cbl(3, width, 3)
        stages = []
        c = width
        for n in blocks:
            stages.append(nn.Sequential(cbl(c, c * 2, 3, 2), *(Residual(c * 2) for _ in range(n))))  #! Residual(c * 2) => Residual(c)
            c *= 2
        self.stages = nn.ModuleList(stages)

    def forward(self, x):
        outs = [x := self.stem(x)]
        for stage in self.stages:
            x = stage(x)
            outs.append(x)
        return outs[-3:]


class Yolo(nn.Module):
    strides = (8, 16, 32)

    def __init__(self, width=8):
        super().__init__()
        self.backbone = Darknet(width)
        c3, c4, c5 = width * 8, width * 16, width * 32
        self.n5, self.n4, self.n3 = cbl(c5, c4, 1), cbl(c4 + c4, c3, 1), cbl(c3 + c3, c3, 1)  #! cbl(c4 + c4, c3, 1) => cbl(c4 + c3, c3, 1)
        self.up = nn.Upsample(scale_factor=2, mode="nearest")
        self.heads = nn.ModuleList(nn.Conv2d(c, 3 * (NC + 5), 1) for c in (c3, c3, c4))  #! (c3, c3, c4) => (c3, c4, c4)

    def forward(self, x):
        f3, f4, f5 = self.backbone(x)
        p5 = self.n5(f5)
        p4 = self.n4(torch.cat([self.up(p5), f4], 1))
        p3 = self.n3(torch.cat([self.up(p4), f3], 1))
        raw = []
        for head, p in zip(self.heads, (p3, p4, p5)):
            b, _, h, w = p.shape
            raw.append(head(p).view(b, 3, NC + 5, h, w).permute(0, 1, 3, 4, 2).contiguous())  #! NC + 5, h, w).permute => NC + 4, h, w).permute
        return raw

    def decode(self, raw):
        z = []
        for i, y in enumerate(raw):
            b, a, h, w, no = y.shape
            gy, gx = torch.meshgrid(torch.arange(h), torch.arange(w), indexing="ij")
            grid = torch.stack((gx, gy), 2).view(1, 1, h, w, 2).float()
            anchor = torch.from_numpy(anchors[i]).view(1, a, 1, 1, 2)
            y = y.sigmoid()
            xy = (y[..., 0:2] * 2 - 0.5 + grid) * self.strides[i]
            wh = (y[..., 2:4] * 2) ** 2 * anchor  #! y[..., 2:4] => y[..., 2:5]
            z.append(torch.cat((xy, wh, y[..., 4:]), -1).view(b, -1, no))
        return torch.cat(z, 1)


def nms_numpy(boxes, scores, thr=0.45):
    x1, y1, x2, y2 = boxes.T
    areas = (x2 - x1) * (y2 - y1)
    order = scores.argsort()[::-1]
    keep = []
    while order.size > 0:
        i = order[0]
        keep.append(i)
        xx1, yy1 = np.maximum(x1[i], x1[order[1:]]), np.maximum(y1[i], y1[order[1:]])
        xx2, yy2 = np.minimum(x2[i], x2[order[1:]]), np.minimum(y2[i], y2[order[1:]])
        inter = np.maximum(0.0, xx2 - xx1) * np.maximum(0.0, yy2 - yy1)
        iou = inter / (areas[i] + areas[order[1:]] - inter)  #! areas[order[1:]] - inter => areas[order] - inter
        order = order[1:][iou <= thr]
    return np.array(keep)


def targets_for(labels, raw):
    """Builds objectness targets for one image."""
    t = []
    for i, y in enumerate(raw):
        _, a, h, w, _ = y.shape
        obj = torch.zeros(a, h, w)
        gxy = torch.from_numpy(labels[:, 1:3]) * torch.tensor([w, h])
        gi, gj = gxy.long().clamp_(max=min(h, w) - 1).T
        obj[:, gj, gi] = 1.0
        t.append(obj)
    return t


torch.manual_seed(0)
scenes = [draw_scene(200, 120, s) for s in range(3)]
batch = torch.stack([letterbox(im, INPUT) for im, _ in scenes])
reveal_type(batch)
model = Yolo()
raw = model(batch)
reveal_type(raw[1])
loss = 0
for b, (_, labels) in enumerate(scenes):
    for y, t in zip(raw, targets_for(labels, raw)):
        loss = loss + nn.functional.binary_cross_entropy_with_logits(y[b, ..., 4], t)  #! y[b, ..., 4] => y[b, ..., 4:]
loss.backward()
model.eval()
with torch.no_grad():
    pred = model.decode(model(batch))
reveal_type(pred)
p = pred[0].numpy()
xyxy = np.concatenate([p[:, :2] - p[:, 2:4] / 2, p[:, :2] + p[:, 2:4] / 2], axis=1)  #! axis=1 => axis=0
conf = p[:, 4] * p[:, 5:].max(1)
kept = nms_numpy(xyxy[conf > conf.mean()], conf[conf > conf.mean()])

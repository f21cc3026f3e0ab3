"""A one-stage detector: FPN from channel lists, shared heads, anchors, matching by IoU, focal loss, per-class NMS."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset
from torchvision.ops import batched_nms, box_convert, box_iou, clip_boxes_to_image, sigmoid_focal_loss


class Boxes(Dataset):
    def __len__(self):
        return 10

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        n = int(torch.randint(1, 4, (1,), generator=g))
        xy = torch.rand(n, 2, generator=g) * 60
        wh = torch.rand(n, 2, generator=g) * 40 + 8
        return torch.rand(3, 128, 128, generator=g), {"boxes": torch.cat([xy, xy + wh], 1), "labels": torch.randint(0, 4, (n,), generator=g)}


def collate(batch):
    images, targets = zip(*batch)
    return torch.stack(images), list(targets)


class Backbone(nn.Module):
    def __init__(self, widths=(8, 16, 24, 32, 40)):
        super().__init__()
        c, stages = 3, []
        for w in widths:
            stages.append(nn.Sequential(nn.Conv2d(c, w, 3, 2, 1), nn.BatchNorm2d(w), nn.SiLU()))
            c = w
        self.stages, self.out_channels = nn.ModuleList(stages), list(widths[2:])

    def forward(self, x):
        feats = {}
        for i, stage in enumerate(self.stages, start=1):
            x = stage(x)
            if i >= 3:
                feats[f"c{i}"] = x
        return feats


class FPN(nn.Module):
    def __init__(self, channels, dim):
        super().__init__()
        self.lateral = nn.ModuleList(nn.Conv2d(c, dim, 1) for c in channels)
        self.smooth = nn.ModuleList(nn.Conv2d(dim, dim, 3, padding=1) for _ in channels)

    def forward(self, feats):
        xs = [l(f) for l, f in zip(self.lateral, feats.values())]
        for i in range(len(xs) - 2, -1, -1):
            xs[i] = xs[i] + F.interpolate(xs[i + 1], scale_factor=2, mode="nearest")  #! scale_factor=2 => scale_factor=4
        return [s(x) for s, x in zip(self.smooth, xs)]


class Head(nn.Module):
    def __init__(self, dim, anchors, outputs, depth=2):
        super().__init__()
        self.outputs = outputs
        tower = []
        for _ in range(depth):
            tower += [nn.Conv2d(dim, dim, 3, padding=1), nn.GroupNorm(4, dim), nn.ReLU()]
        self.tower = nn.Sequential(*tower)
        self.final = nn.Conv2d(dim, anchors * outputs, 3, padding=1)

    def forward(self, feats):
        outs = []
        for f in feats:
            y = self.final(self.tower(f))
            n, _, h, w = y.shape
            y = y.view(n, -1, self.outputs, h, w).permute(0, 3, 4, 1, 2)
            outs.append(y.reshape(n, -1, self.outputs))
        return torch.cat(outs, dim=1)


class Anchors(nn.Module):
    def __init__(self, sizes=(16, 32, 64), ratios=(0.5, 1.0, 2.0), strides=(8, 16, 32)):
        super().__init__()
        self.strides, self.per = strides, len(ratios)
        for i, s in enumerate(sizes):
            r = torch.tensor(ratios)
            w, h = s * r.rsqrt(), s * r.sqrt()
            self.register_buffer(f"base{i}", torch.stack([-w, -h, w, h], dim=1) / 2)

    def forward(self, feats):
        out = []
        for i, (f, s) in enumerate(zip(feats, self.strides)):
            h, w = f.shape[-2:]
            ys, xs = torch.meshgrid((torch.arange(h) + 0.5) * s, (torch.arange(w) + 0.5) * s, indexing="ij")
            shifts = torch.stack([xs, ys, xs, ys], dim=-1).view(-1, 1, 4)
            out.append((shifts + getattr(self, f"base{i}")).view(-1, 4))
        return torch.cat(out)


class Detector(nn.Module):
    def __init__(self, classes=4, dim=16):
        super().__init__()
        self.backbone = Backbone()
        self.fpn = FPN(self.backbone.out_channels, dim)
        self.anchors = Anchors()
        self.cls, self.reg = Head(dim, self.anchors.per, classes), Head(dim, self.anchors.per, 4)
        nn.init.constant_(self.cls.final.bias, -math.log((1 - 0.01) / 0.01))

    def encode(self, anchors, boxes):
        a, b = box_convert(anchors, "xyxy", "cxcywh"), box_convert(boxes, "xyxy", "cxcywh")
        return torch.cat([(b[:, :2] - a[:, :2]) / a[:, 2:], (b[:, 2:] / a[:, 2:]).log()], dim=1)  #! (b[:, 2:] / a[:, 2:]).log()], dim=1 => (b[:, 2:] / a[:, 2:]).log()], dim=2

    def decode(self, anchors, deltas):
        a = box_convert(anchors, "xyxy", "cxcywh")
        xy = deltas[..., :2] * a[:, 2:] + a[:, :2]
        wh = deltas[..., 2:].clamp(max=4).exp() * a[:, 2:]
        return box_convert(torch.cat([xy, wh], dim=-1), "cxcywh", "xyxy")

    def loss(self, logits, deltas, anchors, targets):
        total = 0.0
        for lg, d, t in zip(logits, deltas, targets):
            iou = box_iou(t["boxes"], anchors)
            best, which = iou.max(dim=0)
            matched = t["boxes"][which]
            onehot = torch.zeros_like(lg)
            pos = best >= 0.4
            onehot[pos, t["labels"][which[pos]]] = 1.0
            valid = pos | (best < 0.3)
            c = sigmoid_focal_loss(lg[valid], onehot[valid], reduction="sum")
            r = F.smooth_l1_loss(d[pos], self.encode(anchors[pos], matched[pos]), reduction="sum")  #! self.encode(anchors[pos], matched[pos]) => self.encode(anchors, matched)
            total = total + (c + r) / pos.sum().clamp(min=1)
        return total / len(targets)

    def forward(self, images, targets=None):
        feats = self.fpn(self.backbone(images))
        logits, deltas, anchors = self.cls(feats), self.reg(feats), self.anchors(feats)
        if targets is not None:
            return self.loss(logits, deltas, anchors, targets)
        results = []
        for lg, d in zip(logits.sigmoid(), deltas):
            scores, labels = lg.max(dim=1)
            keep = scores.topk(min(100, scores.numel())).indices
            boxes = clip_boxes_to_image(self.decode(anchors[keep], d[keep]), images.shape[-2:])
            picked = batched_nms(boxes, scores[keep], labels[keep], 0.5)
            results.append({"boxes": boxes[picked], "scores": scores[keep][picked]})
        return results


model = Detector()
opt = torch.optim.AdamW(model.parameters(), 1e-3)
for images, targets in DataLoader(Boxes(), batch_size=4, collate_fn=collate):
    loss = model(images, targets)
    opt.zero_grad()
    loss.backward()
    opt.step()
reveal_type(images)
model.eval()
feats = model.fpn(model.backbone(torch.rand(2, 3, 128, 160)))
reveal_type(feats[0])
reveal_type(model.anchors(feats))
logits = model.cls(feats)
reveal_type(logits)
deltas = model.reg(feats)
boxes = model.decode(model.anchors(feats), deltas)
reveal_type(boxes)
with torch.no_grad():
    results = model(torch.rand(2, 3, 128, 128))
reveal_type(len(results))
areas = (boxes[..., 2:] - boxes[..., :2]).prod(-1)
reveal_type(areas)
score = logits.amax(-1) * areas  #! logits.amax(-1) => logits

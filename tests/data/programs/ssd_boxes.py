"""A one-shot detector: anchors over feature maps, matching by IoU, offsets, hard negative mining and NMS."""
import math
from itertools import product
import torch
import torch.nn as nn
import torch.nn.functional as F
from torchvision.ops import batched_nms, box_iou, nms


def make_anchors(sizes, image, scales, ratios):
    boxes = []
    for f, s in zip(sizes, scales):
        for i, j in product(range(f), repeat=2):
            cx, cy = (j + 0.5) / f, (i + 0.5) / f
            for r in ratios:
                boxes.append([cx, cy, s * math.sqrt(r), s / math.sqrt(r)])
    return torch.tensor(boxes).clamp(0, 1)


def to_corners(b):
    return torch.cat([b[..., :2] - b[..., 2:] / 2, b[..., :2] + b[..., 2:] / 2], dim=-1)  #! dim=-1 => dim=0


def to_center(b):
    return torch.cat([(b[:, :2] + b[:, 2:]) / 2, b[:, 2:] - b[:, :2]], 1)


def encode(matched, anchors, var=(0.1, 0.2)):
    g = to_center(matched)
    xy = (g[:, :2] - anchors[:, :2]) / (var[0] * anchors[:, 2:])
    wh = torch.log(g[:, 2:].clamp(min=1e-4) / anchors[:, 2:].clamp(min=1e-4)) / var[1]
    return torch.cat([xy, wh], 1)


def decode(loc, anchors, var=(0.1, 0.2)):
    xy = anchors[:, :2] + loc[..., :2] * var[0] * anchors[:, 2:]
    wh = anchors[:, 2:] * torch.exp(loc[..., 2:] * var[1])
    return to_corners(torch.cat([xy, wh], -1))


class SSD(nn.Module):
    def __init__(self, classes, widths=(16, 32, 64, 64), per_cell=3):
        super().__init__()
        self.classes = classes
        stages, c = [], 3
        for w in widths:
            stages.append(nn.Sequential(nn.Conv2d(c, w, 3, 2, 1), nn.BatchNorm2d(w), nn.ReLU()))
            c = w
        self.stages = nn.ModuleList(stages)
        self.conf = nn.ModuleList([nn.Conv2d(w, per_cell * classes, 3, padding=1) for w in widths[2:]])  #! widths[2:] => widths[1:]
        self.loc = nn.ModuleList([nn.Conv2d(w, per_cell * 4, 3, padding=1) for w in widths[2:]])

    def forward(self, x):
        feats = []
        for i, stage in enumerate(self.stages):
            x = stage(x)
            if i >= 2:
                feats.append(x)
        conf = [c(f).permute(0, 2, 3, 1).flatten(1) for c, f in zip(self.conf, feats)]  #! .flatten(1) => 
        loc = [l(f).permute(0, 2, 3, 1).flatten(1) for l, f in zip(self.loc, feats)]
        n = x.size(0)
        return torch.cat(conf, 1).view(n, -1, self.classes), torch.cat(loc, 1).view(n, -1, 4)


def match(anchors, boxes, labels, threshold=0.5):
    iou = box_iou(boxes, to_corners(anchors))
    best, which = iou.max(dim=0)  #! dim=0 => dim=1
    best_anchor = iou.argmax(dim=1)
    best[best_anchor] = 1.0
    which[best_anchor] = torch.arange(len(boxes))
    cls = labels[which] + 1
    cls[best < threshold] = 0
    return encode(boxes[which], anchors), cls


def multibox(conf, loc, anchors, targets, ratio=3):
    loc_t, cls_t = zip(*[match(anchors, t["boxes"], t["labels"]) for t in targets])
    loc_t, cls_t = torch.stack(loc_t), torch.stack(cls_t)
    pos = cls_t > 0
    loc_loss = F.smooth_l1_loss(loc[pos], loc_t[pos], reduction="sum")  #! loc_t[pos] => loc_t
    ce = F.cross_entropy(conf.transpose(1, 2), cls_t, reduction="none")  #! conf.transpose(1, 2) => conf
    rank = ce.masked_fill(pos, 0).sort(1, descending=True)[1].sort(1)[1]
    neg = rank < (ratio * pos.sum(1, keepdim=True))  #! pos.sum(1, keepdim=True) => pos.sum(1)
    reveal_type(neg)
    return (loc_loss + ce[pos | neg].sum()) / pos.sum().clamp(min=1)


@torch.no_grad()
def detect(model, images, anchors, score=0.05, top=20):
    conf, loc = model(images)
    probs, boxes = conf.softmax(-1)[..., 1:], decode(loc, anchors)
    results = []
    for p, b in zip(probs, boxes):
        idx, cls = (p > score).nonzero(as_tuple=True)
        kept = batched_nms(b[idx], p[idx, cls], cls, 0.45)[:top]  #! p[idx, cls] => p[idx]
        results.append((b[idx][kept], cls[kept], p[idx, cls][kept]))
    return results


model = SSD(classes=4)
anchors = make_anchors((8, 4), 64, (0.2, 0.5), (1.0, 2.0, 0.5))  #! (8, 4) => (16, 8)
reveal_type(anchors)
opt = torch.optim.SGD(model.parameters(), 1e-3)
for _ in range(2):
    images = torch.rand(2, 3, 64, 64)
    targets = []
    for n in (3, 1):
        xy = torch.rand(n, 2) * 0.5
        targets.append({"boxes": torch.cat([xy, xy + 0.3], 1), "labels": torch.randint(0, 3, (n,))})
    conf, loc = model(images)
    loss = multibox(conf, loc, anchors, targets)
    opt.zero_grad()
    loss.backward()
    opt.step()
reveal_type(conf)
reveal_type(loc)
boxes, cls, scores = detect(model.eval(), torch.rand(1, 3, 64, 64), anchors)[0]
keep = nms(boxes, scores, 0.3)
print(boxes[keep].shape[1])

"""An anchor-based detection head over two feature levels, with target assignment by overlap."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


def box_area(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def box_iou(boxes1, boxes2):
    area1, area2 = box_area(boxes1), box_area(boxes2)
    lt = torch.max(boxes1[:, None, :2], boxes2[:, :2])  #! boxes1[:, None, :2] => boxes1[:, :2]
    rb = torch.min(boxes1[:, None, 2:], boxes2[:, 2:])
    wh = (rb - lt).clamp(min=0)
    inter = wh[:, :, 0] * wh[:, :, 1]
    return inter / (area1[:, None] + area2 - inter)  #! area1[:, None] => area1


class AnchorGenerator:
    def __init__(self, strides=(8, 16), sizes=(32, 64), ratios=(0.5, 1.0, 2.0)):
        self.strides, self.sizes, self.ratios = strides, sizes, ratios

    @property
    def num_anchors(self):
        return len(self.ratios)

    def base(self, size):
        ratios = torch.tensor(self.ratios)
        h = size * torch.sqrt(ratios)
        w = size / torch.sqrt(ratios)
        return torch.stack([-w / 2, -h / 2, w / 2, h / 2], dim=1)  #! dim=1 => dim=0

    def __call__(self, features):
        anchors = []
        for feature, stride, size in zip(features, self.strides, self.sizes):
            h, w = feature.shape[-2:]
            ys, xs = torch.meshgrid(torch.arange(h) * stride, torch.arange(w) * stride, indexing="ij")
            shifts = torch.stack((xs, ys, xs, ys), dim=-1).reshape(-1, 1, 4)
            anchors.append((shifts + self.base(size)).reshape(-1, 4))
        return torch.cat(anchors)


class Backbone(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, 16, 7, stride=4, padding=3), nn.ReLU())
        self.c3 = nn.Conv2d(16, 32, 3, stride=2, padding=1)
        self.c4 = nn.Conv2d(32, 64, 3, stride=2, padding=1)
        self.lateral3 = nn.Conv2d(32, 32, 1)
        self.lateral4 = nn.Conv2d(64, 32, 1)  #! 64, 32, 1 => 64, 64, 1

    def forward(self, x):
        c3 = F.relu(self.c3(self.stem(x)))
        c4 = F.relu(self.c4(c3))
        p4 = self.lateral4(c4)
        p3 = self.lateral3(c3) + F.interpolate(p4, scale_factor=2, mode="nearest")  #! scale_factor=2 => scale_factor=4
        return [p3, p4]


class RetinaHead(nn.Module):
    def __init__(self, channels, num_anchors, num_classes):
        super().__init__()
        self.num_classes = num_classes
        self.tower = nn.Sequential(*[m for _ in range(2) for m in (nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU())])
        self.cls = nn.Conv2d(channels, num_anchors * num_classes, 3, padding=1)  #! num_anchors * num_classes => num_anchors + num_classes
        self.box = nn.Conv2d(channels, num_anchors * 4, 3, padding=1)
        nn.init.constant_(self.cls.bias, -math.log(99))

    def forward(self, features):
        logits, deltas = [], []
        for f in features:
            t = self.tower(f)
            n, _, h, w = t.shape
            logits.append(self.cls(t).view(n, -1, self.num_classes, h, w).permute(0, 3, 4, 1, 2).reshape(n, -1, self.num_classes))
            deltas.append(self.box(t).permute(0, 2, 3, 1).reshape(n, -1, 4))
        return torch.cat(logits, dim=1), torch.cat(deltas, dim=1)  #! torch.cat(logits, dim=1) => torch.cat(logits, dim=2)


def focal_loss(logits, targets, alpha=0.25, gamma=2.0):
    p = torch.sigmoid(logits)
    ce = F.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    p_t = p * targets + (1 - p) * (1 - targets)
    alpha_t = alpha * targets + (1 - alpha) * (1 - targets)
    return (alpha_t * ce * (1 - p_t) ** gamma).sum()


def assign(anchors, boxes, labels, num_classes):
    iou = box_iou(anchors, boxes)
    best, index = iou.max(dim=1)
    onehot = F.one_hot(labels[index], num_classes).float()
    onehot[best < 0.4] = 0
    return onehot, boxes[index], best >= 0.5


def loss_fn(anchors, logits, deltas, targets, num_classes):
    cls_loss = box_loss = 0.0
    for logit, delta, target in zip(logits, deltas, targets):
        onehot, matched, positive = assign(anchors, target["boxes"], target["labels"], num_classes)
        cls_loss += focal_loss(logit, onehot)
        box_loss += F.smooth_l1_loss(delta[positive], (matched - anchors)[positive], reduction="sum")  #! delta[positive], (matched - anchors)[positive] => delta[positive], (matched - anchors[positive])
    return (cls_loss + box_loss) / len(targets)


def main(num_classes=5):
    backbone, anchors = Backbone(), AnchorGenerator()
    head = RetinaHead(32, anchors.num_anchors, num_classes)
    images = torch.rand(2, 3, 128, 192)
    targets = []
    for n in (3, 1):
        xy = torch.rand(n, 2) * 100
        boxes = torch.cat([xy, xy + 20 + torch.rand(n, 2) * 40], dim=1)
        targets.append({"boxes": boxes, "labels": torch.randint(0, num_classes, (n,))})
    features = backbone(images)
    all_anchors = anchors(features)
    logits, deltas = head(features)
    reveal_type(all_anchors)
    reveal_type(logits)
    reveal_type(deltas)
    loss = loss_fn(all_anchors, logits, deltas, targets, num_classes)
    loss.backward()
    print(loss.item())


if __name__ == "__main__":
    main()

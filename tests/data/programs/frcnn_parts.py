"""Two-stage detection by hand: FPN, region proposals, box coding, RoI align, a mask head."""
import math
import torch
from torch import nn
import torch.nn.functional as F
from torchvision.ops import nms, roi_align, box_iou, clip_boxes_to_image, FeaturePyramidNetwork
from collections import OrderedDict

IMAGE = (160, 224)
NUM_CLASSES = 5


class Backbone(nn.Module):
    def __init__(self, widths=(16, 32, 64, 128)):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(3, widths[0], 7, 2, 3), nn.ReLU(), nn.MaxPool2d(3, 2, 1))
        self.layers = nn.ModuleList()
        previous = widths[0]
        for i, w in enumerate(widths):
            self.layers.append(nn.Sequential(nn.Conv2d(previous, w, 3, 1 if i == 0 else 2, 1), nn.GroupNorm(4, w), nn.ReLU()))  #! nn.GroupNorm(4, w) => nn.GroupNorm(4, previous)
            previous = w
        self.fpn = FeaturePyramidNetwork(list(widths[1:]), 32)  #! list(widths[1:]) => list(widths[:-1])

    def forward(self, x):
        x = self.stem(x)
        outs = OrderedDict()
        for i, layer in enumerate(self.layers):
            x = layer(x)
            if i > 0:
                outs[f"p{i + 2}"] = x
        return self.fpn(outs)


def make_anchors(shape, stride, scales=(4.0,), ratios=(0.5, 1.0, 2.0)):
    h, w = shape
    base = []
    for s in scales:
        for r in ratios:
            bw, bh = stride * s * math.sqrt(1 / r), stride * s * math.sqrt(r)
            base.append([-bw / 2, -bh / 2, bw / 2, bh / 2])
    base = torch.tensor(base)
    ys, xs = torch.meshgrid(torch.arange(h) * stride, torch.arange(w) * stride, indexing="ij")
    shifts = torch.stack([xs, ys, xs, ys], dim=-1).reshape(-1, 4)  #! .reshape(-1, 4) => .reshape(-1, 2)
    return (shifts[:, None] + base[None]).reshape(-1, 4)


def encode(anchors, boxes):
    aw, ah = anchors[:, 2] - anchors[:, 0], anchors[:, 3] - anchors[:, 1]
    ax, ay = anchors[:, 0] + aw / 2, anchors[:, 1] + ah / 2
    bw, bh = boxes[:, 2] - boxes[:, 0], boxes[:, 3] - boxes[:, 1]
    bx, by = boxes[:, 0] + bw / 2, boxes[:, 1] + bh / 2
    return torch.stack(((bx - ax) / aw, (by - ay) / ah, torch.log(bw / aw), torch.log(bh / ah)), dim=1)


def decode(anchors, deltas):
    sizes = anchors[:, 2:] - anchors[:, :2]
    centers = anchors[:, :2] + sizes / 2
    centers = centers + deltas[:, :2] * sizes  #! deltas[:, :2] => deltas[:, :3]
    sizes = sizes * deltas[:, 2:].clamp(max=4).exp()
    return torch.cat([centers - sizes / 2, centers + sizes / 2], dim=1)


class RPN(nn.Module):
    def __init__(self, channels=32, num_anchors=3):
        super().__init__()
        self.conv = nn.Conv2d(channels, channels, 3, padding=1)
        self.cls = nn.Conv2d(channels, num_anchors, 1)
        self.reg = nn.Conv2d(channels, num_anchors * 4, 1)  #! num_anchors * 4 => num_anchors * 3

    def forward(self, feats):
        scores, deltas, anchors = [], [], []
        for name, f in feats.items():
            stride = 2 ** int(name[1:])
            t = F.relu(self.conv(f))
            s, d = self.cls(t), self.reg(t)
            n, a, h, w = s.shape
            scores.append(s.permute(0, 2, 3, 1).reshape(n, -1))
            deltas.append(d.view(n, a, 4, h, w).permute(0, 3, 4, 1, 2).reshape(n, -1, 4))
            anchors.append(make_anchors((h, w), stride))
        return torch.cat(scores, 1), torch.cat(deltas, 1), torch.cat(anchors)


class MaskHead(nn.Sequential):
    def __init__(self, channels, classes):
        layers = []
        for _ in range(2):
            layers += [nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU(inplace=True)]
        layers += [nn.ConvTranspose2d(channels, channels, 2, 2), nn.ReLU(inplace=True), nn.Conv2d(channels, classes, 1)]
        super().__init__(*layers)


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        self.backbone = Backbone()
        self.rpn = RPN()
        self.box_head = nn.Sequential(nn.Flatten(), nn.Linear(32 * 7 * 7, 64), nn.ReLU())  #! 32 * 7 * 7 => 32 * 7
        self.box_out = nn.Linear(64, NUM_CLASSES * 4)
        self.cls_out = nn.Linear(64, NUM_CLASSES + 1)
        self.mask_head = MaskHead(32, NUM_CLASSES)

    def forward(self, images, targets=None):
        feats = self.backbone(images)
        scores, deltas, anchors = self.rpn(feats)
        reveal_type(anchors)
        rois = []
        for s, d in zip(scores, deltas):
            top = s.topk(60).indices
            boxes = clip_boxes_to_image(decode(anchors[top], d[top]), IMAGE)
            keep = nms(boxes, s[top].sigmoid(), 0.7)[:16]
            rois.append(boxes[keep].detach())
        crops = roi_align(feats["p4"], rois, output_size=(7, 7), spatial_scale=1 / 16, sampling_ratio=2)  #! output_size=(7, 7) => output_size=(7, 14)
        hidden = self.box_head(crops)
        masks = self.mask_head(roi_align(feats["p3"], rois, (14, 14), 1 / 8))
        losses = {}
        if targets is not None:
            losses["rpn"] = self.rpn_loss(scores, deltas, anchors, targets)
        return self.cls_out(hidden), self.box_out(hidden).view(-1, NUM_CLASSES, 4), masks, losses  #! .view(-1, NUM_CLASSES, 4) => .view(len(images), NUM_CLASSES, 5)

    def rpn_loss(self, scores, deltas, anchors, targets):
        total = scores.new_zeros(())
        for s, d, t in zip(scores, deltas, targets):
            iou = box_iou(t["boxes"], anchors)
            best, which = iou.max(dim=0)  #! dim=0 => dim=1
            positive = best > 0.3
            labels = positive.float()
            total = total + F.binary_cross_entropy_with_logits(s, labels)
            goal = encode(anchors, t["boxes"][which])
            total = total + F.smooth_l1_loss(d[positive], goal[positive], reduction="sum") / max(1, int(positive.sum()))
        return total


torch.manual_seed(0)
model = Detector()
targets = [{"boxes": torch.tensor([[10., 20., 60., 90.], [80., 30., 200., 140.]]), "labels": torch.tensor([1, 3])},
           {"boxes": torch.tensor([[5., 5., 100., 100.]]), "labels": torch.tensor([2])}]
logits, boxes, masks, losses = model(torch.randn(2, 3, *IMAGE), targets)
sum(losses.values()).backward()
reveal_type(model.backbone(torch.randn(1, 3, 64, 64))["p4"])

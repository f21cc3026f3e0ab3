"""A one-stage detector: feature pyramid, anchors on every level, box coding, focal loss, and suppression of overlaps."""
import math
from functools import partial
from typing import Dict, List

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torchvision.models import resnet18
from torchvision.ops import FrozenBatchNorm2d, batched_nms, box_convert, box_iou, sigmoid_focal_loss
from torchvision.models._utils import IntermediateLayerGetter
from torchvision.ops.feature_pyramid_network import FeaturePyramidNetwork, LastLevelMaxPool


class AnchorGenerator(nn.Module):
    def __init__(self, strides, octaves=(0, 1 / 3, 2 / 3), ratios=(0.5, 1.0, 2.0)):
        super().__init__()
        self.strides = strides
        for i, stride in enumerate(strides):
            scales = torch.tensor([4 * stride * 2**o for o in octaves])
            h_ratios = torch.sqrt(torch.tensor(ratios))
            ws = (scales[None, :] / h_ratios[:, None]).view(-1)
            hs = (scales[None, :] * h_ratios[:, None]).view(-1)
            self.register_buffer(f"cell_{i}", torch.stack([-ws, -hs, ws, hs], dim=1) / 2, persistent=False)  #! dim=1) / 2 => dim=0) / 2

    @property
    def num_anchors(self):
        return self.cell_0.shape[0]

    def forward(self, feats: List[Tensor]) -> Tensor:
        out = []
        for i, (feat, stride) in enumerate(zip(feats, self.strides)):
            h, w = feat.shape[-2:]
            ys = (torch.arange(h) + 0.5) * stride
            xs = (torch.arange(w) + 0.5) * stride
            y, x = torch.meshgrid(ys, xs, indexing="ij")
            shifts = torch.stack((x, y, x, y), dim=-1).reshape(-1, 4)
            out.append((shifts[:, None, :] + getattr(self, f"cell_{i}")[None]).reshape(-1, 4))
        return torch.cat(out)


class Head(nn.Module):
    def __init__(self, channels, num_anchors, outputs, depth=2, prior=None):
        super().__init__()
        tower = []
        for _ in range(depth):
            tower += [nn.Conv2d(channels, channels, 3, padding=1), nn.ReLU()]
        self.tower = nn.Sequential(*tower)
        self.out = nn.Conv2d(channels, num_anchors * outputs, 3, padding=1)
        self.outputs = outputs
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.normal_(m.weight, std=0.01)
                nn.init.zeros_(m.bias)
        if prior is not None:
            nn.init.constant_(self.out.bias, -math.log((1 - prior) / prior))

    def forward(self, feats):
        result = []
        for f in feats:
            x = self.out(self.tower(f))
            n, _, h, w = x.shape
            x = x.view(n, -1, self.outputs, h, w).permute(0, 3, 4, 1, 2)  #! permute(0, 3, 4, 1, 2) => permute(0, 3, 4, 2, 1)
            result.append(x.reshape(n, -1, self.outputs))
        return torch.cat(result, dim=1)


class RetinaNet(nn.Module):
    def __init__(self, num_classes, channels=32):
        super().__init__()
        body = resnet18(weights=None, norm_layer=partial(FrozenBatchNorm2d, eps=1e-5))
        self.body = IntermediateLayerGetter(body, {"layer2": "0", "layer3": "1", "layer4": "2"})
        self.fpn = FeaturePyramidNetwork([128, 256, 512], channels, extra_blocks=LastLevelMaxPool())  #! [128, 256, 512] => [64, 128, 256]
        self.anchors = AnchorGenerator((8, 16, 32, 64))
        self.cls = Head(channels, self.anchors.num_anchors, num_classes, prior=0.01)
        self.box = Head(channels, self.anchors.num_anchors, 4)
        self.num_classes = num_classes

    @staticmethod
    def encode(anchors, boxes):
        a, b = box_convert(anchors, "xyxy", "cxcywh"), box_convert(boxes, "xyxy", "cxcywh")
        return torch.cat([(b[:, :2] - a[:, :2]) / a[:, 2:], torch.log(b[:, 2:] / a[:, 2:])], dim=1)

    @staticmethod
    def decode(anchors, deltas):
        a = box_convert(anchors, "xyxy", "cxcywh")
        center = deltas[..., :2] * a[:, 2:] + a[:, :2]
        size = torch.exp(deltas[..., 2:].clamp(max=4.0)) * a[:, 2:]
        return torch.cat([center - size / 2, center + size / 2], dim=-1)

    def losses(self, logits, deltas, anchors, targets: List[Dict[str, Tensor]]):
        total = {"cls": [], "box": []}
        for logit, delta, target in zip(logits, deltas, targets):
            iou = box_iou(target["boxes"], anchors)
            best, index = iou.max(dim=0)  #! dim=0) => dim=1)
            positive = best > 0.5
            labels = torch.zeros_like(logit)
            labels[positive, target["labels"][index[positive]]] = 1.0
            keep = positive | (best < 0.4)
            norm = max(1, int(positive.sum()))
            total["cls"].append(sigmoid_focal_loss(logit[keep], labels[keep], reduction="sum") / norm)
            goal = self.encode(anchors[positive], target["boxes"][index[positive]])
            total["box"].append(F.smooth_l1_loss(delta[positive], goal, reduction="sum") / norm)
        return {k: torch.stack(v).mean() for k, v in total.items()}

    @torch.no_grad()
    def detect(self, logits, deltas, anchors, topk=50):
        results = []
        for score, delta in zip(logits.sigmoid(), deltas):
            top, flat = score.flatten().topk(topk)
            box = self.decode(anchors[flat // self.num_classes], delta[flat // self.num_classes])  #! delta[flat // self.num_classes] => delta
            label = flat % self.num_classes
            keep = batched_nms(box, top, label, 0.5)
            results.append({"boxes": box[keep], "scores": top[keep], "labels": label[keep]})
        return results

    def forward(self, images, targets=None):
        features = list(self.fpn(self.body(images)).values())
        anchors = self.anchors(features)
        logits, deltas = self.cls(features), self.box(features)
        reveal_type(anchors)
        reveal_type(logits)
        if self.training:
            return self.losses(logits, deltas, anchors, targets)
        return self.detect(logits, deltas, anchors)


if __name__ == "__main__":
    torch.manual_seed(0)
    net = RetinaNet(num_classes=6)
    images = torch.rand(2, 3, 128, 160)
    targets = [
        {"boxes": torch.tensor([[10.0, 10, 60, 70], [50, 40, 150, 120]]), "labels": torch.tensor([1, 4])},
        {"boxes": torch.tensor([[0.0, 0, 40, 40]]), "labels": torch.tensor([2])},
    ]
    loss = net(images, targets)
    sum(loss.values()).backward()
    reveal_type(loss["box"])
    net.eval()
    out = net(images)
    reveal_type(out[0]["boxes"].shape[1])

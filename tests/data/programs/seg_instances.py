"""Instance segmentation with a torchvision model, own data set of random objects, target dictionaries, mask IoU metric; reference-style helpers."""
import math
import random

import numpy as np
import torch
import torch.utils.data
import torchvision
from torchvision.models.detection import maskrcnn_resnet50_fpn
from torchvision.models.detection.faster_rcnn import FastRCNNPredictor
from torchvision.models.detection.mask_rcnn import MaskRCNNPredictor
from torchvision.ops import box_convert, masks_to_boxes, roi_align
from torchvision.transforms import functional as TF


class Cells(torch.utils.data.Dataset):
    def __init__(self, n, size=64, train=True):
        self.n, self.size, self.train = n, size, train

    def __len__(self):
        return self.n

    def __getitem__(self, idx):
        h = w = self.size
        image = torch.rand(3, h, w)
        count = random.randint(1, 4)
        masks = torch.zeros((count, h, w), dtype=torch.uint8)
        for k in range(count):
            y, x = random.randint(0, h - 20), random.randint(0, w - 20)
            masks[k, y:y + 16, x:x + 16] = 1
        boxes = masks_to_boxes(masks)
        if self.train and random.random() < 0.5:
            image, masks = TF.hflip(image), TF.hflip(masks)
            boxes = boxes[:, [2, 1, 0, 3]]  #! boxes[:, [2, 1, 0, 3]] => boxes[:, [2, 1, 0, 3, 4]]
            boxes[:, [0, 2]] = w - 1 - boxes[:, [0, 2]]
        area = (boxes[:, 3] - boxes[:, 1]) * (boxes[:, 2] - boxes[:, 0])
        return image, {"boxes": boxes, "labels": torch.ones((count,), dtype=torch.int64), "masks": masks,
                       "image_id": idx, "area": area, "iscrowd": torch.zeros((count,), dtype=torch.int64)}


def collate_fn(batch):
    return tuple(zip(*batch))


def build(classes):
    model = maskrcnn_resnet50_fpn(weights=None, weights_backbone=None, min_size=64, max_size=64)
    in_features = model.roi_heads.box_predictor.cls_score.in_features
    model.roi_heads.box_predictor = FastRCNNPredictor(in_features, classes)
    hidden = model.roi_heads.mask_predictor.conv5_mask.in_channels
    model.roi_heads.mask_predictor = MaskRCNNPredictor(hidden, 64, classes)
    return model


class Scorer(torch.nn.Module):
    """Classifies each region of a small feature map."""

    def __init__(self, channels=16, classes=3, out=7):
        super().__init__()
        self.stem = torch.nn.Sequential(torch.nn.Conv2d(3, channels, 3, 2, 1), torch.nn.ReLU(), torch.nn.Conv2d(channels, channels, 3, 2, 1))
        self.out = out
        self.fc = torch.nn.Linear(channels * out * out, classes + 4)  #! channels * out * out => channels * out

    def forward(self, images, boxes):
        feats = self.stem(torch.stack(images))  #! torch.stack(images) => torch.cat(images)
        rois = roi_align(feats, boxes, self.out, spatial_scale=0.25, aligned=True)
        y = self.fc(rois.flatten(1))  #! rois.flatten(1) => rois.flatten(2)
        return y[:, :-4], y[:, -4:]


def mask_iou(a, b):
    a, b = a.flatten(1).float(), b.flatten(1).float()
    inter = a @ b.T  #! a @ b.T => a @ b
    union = a.sum(1)[:, None] + b.sum(1)[None] - inter  #! a.sum(1)[:, None] => a.sum(0)[:, None]
    return inter / union.clamp(min=1)


def reduce_dict(losses):
    names = sorted(losses)
    values = torch.stack([losses[n] for n in names])
    return dict(zip(names, values))


def main():
    data = Cells(8)
    indices = torch.randperm(len(data)).tolist()
    train = torch.utils.data.Subset(data, indices[:-2])
    loader = torch.utils.data.DataLoader(train, batch_size=3, shuffle=True, collate_fn=collate_fn)
    scorer = Scorer()
    opt = torch.optim.SGD([p for p in scorer.parameters() if p.requires_grad], lr=0.01, momentum=0.9)
    for images, targets in loader:
        boxes = [t["boxes"] for t in targets]
        logits, deltas = scorer(images, boxes)
        labels = torch.cat([t["labels"] for t in targets])  #! torch.cat([t["labels"] => torch.stack([t["labels"]
        wanted = box_convert(torch.cat(boxes), "xyxy", "cxcywh") / 64
        losses = {"cls": torch.nn.functional.cross_entropy(logits, labels),  #! logits, labels => logits.T, labels
                  "box": torch.nn.functional.smooth_l1_loss(deltas, wanted)}  #! (deltas, wanted) => (deltas, wanted[:, :3])
        total = sum(losses.values())
        if not math.isfinite(float(total)):
            raise SystemExit(1)
        print({k: float(v) for k, v in reduce_dict(losses).items()})
        opt.zero_grad()
        total.backward()
        opt.step()
    reveal_type(images[0])
    image, target = data[0]
    iou = mask_iou(target["masks"], target["masks"])
    print(iou.diag().mean())
    pasted = (image * 255).to(torch.uint8) * (1 - target["masks"].amax(0))  #! target["masks"].amax(0) => target["masks"].amax(1)[:, :5]
    reveal_type(pasted)
    overlay = torch.cat([image, target["masks"].amax(0, keepdim=True).float()])  #! .amax(0, keepdim=True) => .amax(0)
    reveal_type(overlay)
    model = build(3)
    reveal_type(model.roi_heads.box_predictor.bbox_pred.weight)
    reveal_type(model.roi_heads.mask_predictor.mask_fcn_logits.weight)


if __name__ == "__main__":
    main()

import torch
import torch.nn as nn
import torch.nn.functional as F

from .registry import MODELS, build


@MODELS.register_module()
class ConvNet(nn.Module):
    def __init__(self, in_channels, widths, out_stages):
        super().__init__()
        self.stages, self.out_stages = nn.ModuleList(), out_stages
        for w in widths:
            self.stages.append(nn.Sequential(nn.Conv2d(in_channels, w, 3, 2, 1), nn.BatchNorm2d(w), nn.ReLU(inplace=True)))
            in_channels = w  #! in_channels = w => pass

    def forward(self, x):
        outs = []
        for i, stage in enumerate(self.stages):
            x = stage(x)
            if i in self.out_stages:
                outs.append(x)
        return tuple(outs)


@MODELS.register_module("SumNeck")
class TopDown(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.laterals = nn.ModuleList([nn.Conv2d(c, out_channels, 1) for c in in_channels])

    def forward(self, feats):
        assert len(feats) == len(self.laterals)
        maps = [lateral(f) for lateral, f in zip(self.laterals, feats)]
        top = maps[-1]
        for lower in reversed(maps[:-1]):
            top = lower + F.interpolate(top, size=lower.shape[-2:], mode="nearest")  #! size=lower.shape[-2:] => scale_factor=3
        return top


@MODELS.register_module()
class LinearHead(nn.Module):
    def __init__(self, in_channels, num_classes, dropout=0.0):
        super().__init__()
        self.fc = nn.Sequential(nn.Dropout(dropout), nn.Linear(in_channels, num_classes))

    def forward(self, x):
        return self.fc(x.mean(dim=(2, 3)))  #! dim=(2, 3) => dim=(1, 2)

    def loss(self, logits, labels):
        return F.cross_entropy(logits, labels)


@MODELS.register_module()
class Classifier(nn.Module):
    def __init__(self, backbone, head, neck=None):
        super().__init__()
        self.backbone = build(backbone)
        self.neck = build(neck) if neck is not None else nn.Identity()
        self.head = build(head)

    def forward(self, img, label=None, return_loss=True):
        logits = self.head(self.neck(self.backbone(img)))
        return self.head.loss(logits, label) if return_loss else logits

# Models for segmentation, whose heads programs replace: their modules have the names and sizes of torchvision's.
from collections import OrderedDict

import torch
from torch import nn
import torch.nn.functional as F
from torchvision.models import IntermediateLayerGetter, mobilenet_v3_large, resnet50, resnet101


class _SimpleSegmentationModel(nn.Module):
    def __init__(self, backbone, classifier, aux_classifier=None):
        super().__init__()
        self.backbone = backbone
        self.classifier = classifier
        self.aux_classifier = aux_classifier

    def forward(self, x):
        size = x.shape[-2:]
        features = self.backbone(x)
        result = OrderedDict()
        result["out"] = F.interpolate(self.classifier(features["out"]), size=size, mode="bilinear", align_corners=False)
        if self.aux_classifier is not None:
            result["aux"] = F.interpolate(self.aux_classifier(features["aux"]), size=size, mode="bilinear", align_corners=False)
        return result


class FCN(_SimpleSegmentationModel):
    pass


class DeepLabV3(_SimpleSegmentationModel):
    pass


class FCNHead(nn.Sequential):
    def __init__(self, in_channels, channels):
        between = in_channels // 4
        super().__init__(
            nn.Conv2d(in_channels, between, 3, padding=1, bias=False), nn.BatchNorm2d(between), nn.ReLU(), nn.Dropout(0.1), nn.Conv2d(between, channels, 1))


class ASPPConv(nn.Sequential):
    def __init__(self, in_channels, out_channels, dilation):
        super().__init__(
            nn.Conv2d(in_channels, out_channels, 3, padding=dilation, dilation=dilation, bias=False), nn.BatchNorm2d(out_channels), nn.ReLU())


class ASPPPooling(nn.Sequential):
    def __init__(self, in_channels, out_channels):
        super().__init__(nn.AdaptiveAvgPool2d(1), nn.Conv2d(in_channels, out_channels, 1, bias=False), nn.BatchNorm2d(out_channels), nn.ReLU())

    def forward(self, x):
        size = x.shape[-2:]
        for module in self:
            x = module(x)
        return F.interpolate(x, size=size, mode="bilinear", align_corners=False)


class ASPP(nn.Module):
    def __init__(self, in_channels, atrous_rates, out_channels=256):
        super().__init__()
        modules = [nn.Sequential(nn.Conv2d(in_channels, out_channels, 1, bias=False), nn.BatchNorm2d(out_channels), nn.ReLU())]
        modules += [ASPPConv(in_channels, out_channels, rate) for rate in atrous_rates]
        modules.append(ASPPPooling(in_channels, out_channels))
        self.convs = nn.ModuleList(modules)
        self.project = nn.Sequential(
            nn.Conv2d(len(self.convs) * out_channels, out_channels, 1, bias=False), nn.BatchNorm2d(out_channels), nn.ReLU(), nn.Dropout(0.5))

    def forward(self, x):
        return self.project(torch.cat([conv(x) for conv in self.convs], dim=1))


class DeepLabHead(nn.Sequential):
    def __init__(self, in_channels, num_classes, atrous_rates=(12, 24, 36)):
        super().__init__(
            ASPP(in_channels, atrous_rates), nn.Conv2d(256, 256, 3, padding=1, bias=False), nn.BatchNorm2d(256), nn.ReLU(), nn.Conv2d(256, num_classes, 1))


class LRASPPHead(nn.Module):
    def __init__(self, low_channels, high_channels, num_classes, inter_channels):
        super().__init__()
        self.cbr = nn.Sequential(nn.Conv2d(high_channels, inter_channels, 1, bias=False), nn.BatchNorm2d(inter_channels), nn.ReLU(inplace=True))
        self.scale = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(high_channels, inter_channels, 1, bias=False), nn.Sigmoid())
        self.low_classifier = nn.Conv2d(low_channels, num_classes, 1)
        self.high_classifier = nn.Conv2d(inter_channels, num_classes, 1)

    def forward(self, input):
        low, high = input["low"], input["high"]
        x = self.cbr(high) * self.scale(high)
        x = F.interpolate(x, size=low.shape[-2:], mode="bilinear", align_corners=False)
        return self.low_classifier(low) + self.high_classifier(x)


class LRASPP(nn.Module):
    def __init__(self, backbone, low_channels, high_channels, num_classes, inter_channels=128):
        super().__init__()
        self.backbone = backbone
        self.classifier = LRASPPHead(low_channels, high_channels, num_classes, inter_channels)

    def forward(self, input):
        out = self.classifier(self.backbone(input))
        result = OrderedDict()
        result["out"] = F.interpolate(out, size=input.shape[-2:], mode="bilinear", align_corners=False)
        return result


# Trained weights bring a second head.
def _heads(has_weights, num_classes, aux_loss):
    return 21 if num_classes is None else num_classes, True if has_weights else aux_loss


def _on_resnet(kind, head, backbone, has_weights, num_classes, aux_loss):
    classes, has_second = _heads(has_weights, num_classes, aux_loss)
    backbone = backbone(replace_stride_with_dilation=[False, True, True])
    layers = {"layer4": "out", "layer3": "aux"} if has_second else {"layer4": "out"}
    return kind(IntermediateLayerGetter(backbone, layers), head(2048, classes), FCNHead(1024, classes) if has_second else None)


def fcn_resnet50(pretrained=False, progress=True, num_classes=None, aux_loss=None, *, weights=None, weights_backbone=None, **kwargs):
    return _on_resnet(FCN, FCNHead, resnet50, pretrained or weights is not None, num_classes, aux_loss)


def fcn_resnet101(pretrained=False, progress=True, num_classes=None, aux_loss=None, *, weights=None, weights_backbone=None, **kwargs):
    return _on_resnet(FCN, FCNHead, resnet101, pretrained or weights is not None, num_classes, aux_loss)


def deeplabv3_resnet50(pretrained=False, progress=True, num_classes=None, aux_loss=None, *, weights=None, weights_backbone=None, **kwargs):
    return _on_resnet(DeepLabV3, DeepLabHead, resnet50, pretrained or weights is not None, num_classes, aux_loss)


def deeplabv3_resnet101(pretrained=False, progress=True, num_classes=None, aux_loss=None, *, weights=None, weights_backbone=None, **kwargs):
    return _on_resnet(DeepLabV3, DeepLabHead, resnet101, pretrained or weights is not None, num_classes, aux_loss)


# The strided blocks of the backbone are the modules 0, 2, 4, 7 and 13 of its 17.
def deeplabv3_mobilenet_v3_large(pretrained=False, progress=True, num_classes=None, aux_loss=None, *, weights=None, weights_backbone=None, **kwargs):
    classes, has_second = _heads(pretrained or weights is not None, num_classes, aux_loss)
    layers = {"16": "out", "4": "aux"} if has_second else {"16": "out"}
    backbone = IntermediateLayerGetter(mobilenet_v3_large(dilated=True).features, layers)
    return DeepLabV3(backbone, DeepLabHead(960, classes), FCNHead(40, classes) if has_second else None)


def lraspp_mobilenet_v3_large(pretrained=False, progress=True, num_classes=None, *, weights=None, weights_backbone=None, **kwargs):
    classes, _ = _heads(False, num_classes, None)
    backbone = IntermediateLayerGetter(mobilenet_v3_large(dilated=True).features, {"4": "low", "16": "high"})
    return LRASPP(backbone, 40, 960, classes)

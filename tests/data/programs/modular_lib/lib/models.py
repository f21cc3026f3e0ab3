import torch
import torch.nn as nn
import torch.nn.functional as F

from .registry import MODELS, build


def resize(x, size=None, scale_factor=None, mode="bilinear"):
    return F.interpolate(x, size, scale_factor, mode, align_corners=False if mode == "bilinear" else None)


class ConvModule(nn.Sequential):
    def __init__(self, cin, cout, k=3, stride=1, norm="BN", act="ReLU", **kwargs):
        layers = [nn.Conv2d(cin, cout, k, stride, padding=k // 2, bias=norm is None, **kwargs)]
        if norm == "BN":
            layers.append(nn.BatchNorm2d(cout))
        elif norm == "GN":
            layers.append(nn.GroupNorm(8, cout))
        if act:
            layers.append(getattr(nn, act)())
        super().__init__(*layers)


class Bottleneck(nn.Module):
    def __init__(self, channels, ratio):
        super().__init__()
        hidden = int(channels * ratio)
        self.conv = nn.Sequential(
            ConvModule(channels, hidden, 1),
            ConvModule(hidden, hidden, 3, groups=hidden),  #! groups=hidden => groups=channels * 3
            ConvModule(hidden, channels, 1, act=None))
        self.gamma = nn.Parameter(1e-2 * torch.ones(channels, 1, 1))  #! torch.ones(channels, 1, 1) => torch.ones(channels)

    def forward(self, x):
        return x + self.gamma * self.conv(x)


@MODELS.register
class StageNet(nn.Module):
    def __init__(self, depths, base, ratio, out_indices):
        super().__init__()
        self.out_indices = out_indices
        self.stem = ConvModule(3, base, 3, stride=2)
        self.names = []
        channels = base
        for i, depth in enumerate(depths):
            out = base * 2 ** i
            blocks = [Bottleneck(out, ratio) for _ in range(depth)]
            if i > 0:
                blocks.insert(0, ConvModule(channels, out, 3, stride=2))  #! ConvModule(channels, out, => ConvModule(base, out,
            name = f"stage{i + 1}"
            self.add_module(name, nn.Sequential(*blocks))
            self.names.append(name)
            channels = out

    def forward(self, x):
        x, outs = self.stem(x), []
        for i, name in enumerate(self.names):
            x = getattr(self, name)(x)
            if i in self.out_indices:
                outs.append(x)
        return tuple(outs)


@MODELS.register(name="PyramidNeck")
class FPN(nn.Module):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.lateral = nn.ModuleList(ConvModule(c, out_channels, 1, norm=None, act=None) for c in in_channels)
        self.smooth = nn.ModuleList(ConvModule(out_channels, out_channels, norm="GN") for _ in in_channels)

    def forward(self, inputs):
        assert len(inputs) == len(self.lateral)
        laterals = [conv(x) for conv, x in zip(self.lateral, inputs)]
        for i in range(len(laterals) - 1, 0, -1):
            laterals[i - 1] = laterals[i - 1] + resize(laterals[i], size=laterals[i - 1].shape[2:])  #! size=laterals[i - 1].shape[2:] => size=laterals[i].shape[2:]
        return tuple(conv(x) for conv, x in zip(self.smooth, laterals))


class BaseHead(nn.Module):
    def __init__(self, in_channels, num_classes, in_index=-1, dropout=0.1, ignore_index=255):
        super().__init__()
        self.in_index, self.ignore_index = in_index, ignore_index
        self.dropout = nn.Dropout2d(dropout) if dropout > 0 else None
        self.conv_seg = nn.Conv2d(in_channels, num_classes, 1)  #! in_channels, num_classes, 1 => num_classes, in_channels, 1

    def select(self, inputs):
        return [inputs[i] for i in self.in_index] if isinstance(self.in_index, (list, tuple)) else inputs[self.in_index]

    def cls_seg(self, feat):
        return self.conv_seg(self.dropout(feat) if self.dropout is not None else feat)

    def losses(self, logits, label):
        logits = resize(logits, size=label.shape[2:])
        label = label.squeeze(1)  #! label.squeeze(1) => label
        accuracy = (logits.argmax(1) == label)[label != self.ignore_index].float().mean()
        return {"loss_seg": F.cross_entropy(logits, label, ignore_index=self.ignore_index), "acc_seg": accuracy}


@MODELS.register
class SumHead(BaseHead):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.convs = nn.ModuleList(ConvModule(self.conv_seg.in_channels, self.conv_seg.in_channels) for _ in self.in_index)

    def forward(self, inputs):
        x = self.select(inputs)
        out = self.convs[0](x[0])
        for conv, feat in zip(self.convs[1:], x[1:]):
            out = out + resize(conv(feat), size=out.shape[2:])  #! resize(conv(feat), size=out.shape[2:]) => conv(feat)
        return self.cls_seg(out)


@MODELS.register()
class Segmentor(nn.Module):
    def __init__(self, backbone, neck, head):
        super().__init__()
        self.backbone, self.neck, self.decode_head = build(backbone, MODELS), build(neck, MODELS), build(head, MODELS)

    def extract_feat(self, img):
        return self.neck(self.backbone(img))

    def forward(self, img, label=None, mode="loss"):
        logits = self.decode_head(self.extract_feat(img))
        if mode == "loss":
            return self.decode_head.losses(logits, label)
        return resize(logits, size=img.shape[2:])

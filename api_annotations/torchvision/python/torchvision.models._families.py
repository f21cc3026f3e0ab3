# Families of models for classification, whose parts programs read, hook and replace: their modules have the names and sizes of torchvision's.
import math
from collections import OrderedDict
from functools import partial

import torch
from torch import nn
import torch.nn.functional as F


def _divisible(value, divisor=8):
    new = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return new + divisor if new < 0.9 * value else new


def _conv_norm(cin, cout, kernel=3, stride=1, groups=1, norm=nn.BatchNorm2d, act=nn.ReLU, dilation=1):
    layers = [nn.Conv2d(cin, cout, kernel, stride, (kernel - 1) // 2 * dilation, dilation=dilation, groups=groups, bias=False), norm(cout)]
    if act is not None:
        layers.append(act())
    return nn.Sequential(*layers)


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inplanes, planes, stride=1, downsample=None, groups=1, base_width=64, dilation=1, norm_layer=None):
        super().__init__()
        norm = norm_layer if norm_layer is not None else nn.BatchNorm2d
        self.conv1 = nn.Conv2d(inplanes, planes, 3, stride, 1, bias=False)
        self.bn1 = norm(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(planes, planes, 3, 1, 1, bias=False)
        self.bn2 = norm(planes)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        return self.relu(self.bn2(self.conv2(out)) + identity)


class Bottleneck(nn.Module):
    expansion = 4

    def __init__(self, inplanes, planes, stride=1, downsample=None, groups=1, base_width=64, dilation=1, norm_layer=None):
        super().__init__()
        norm = norm_layer if norm_layer is not None else nn.BatchNorm2d
        width = int(planes * (base_width / 64.0)) * groups
        self.conv1 = nn.Conv2d(inplanes, width, 1, bias=False)
        self.bn1 = norm(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, dilation, dilation=dilation, groups=groups, bias=False)
        self.bn2 = norm(width)
        self.conv3 = nn.Conv2d(width, planes * 4, 1, bias=False)
        self.bn3 = norm(planes * 4)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = downsample
        self.stride = stride

    def forward(self, x):
        identity = x if self.downsample is None else self.downsample(x)
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.relu(self.bn2(self.conv2(out)))
        return self.relu(self.bn3(self.conv3(out)) + identity)


class ResNet(nn.Module):
    def __init__(self, block, layers, num_classes=1000, zero_init_residual=False, groups=1, width_per_group=64, replace_stride_with_dilation=None, norm_layer=None):
        super().__init__()
        norm = norm_layer if norm_layer is not None else nn.BatchNorm2d
        self._norm_layer = norm
        self.inplanes, self.dilation, self.groups, self.base_width = 64, 1, groups, width_per_group
        dilate = replace_stride_with_dilation if replace_stride_with_dilation is not None else [False, False, False]
        self.conv1 = nn.Conv2d(3, 64, 7, 2, 3, bias=False)
        self.bn1 = norm(64)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        self.layer1 = self._make_layer(block, 64, layers[0])
        self.layer2 = self._make_layer(block, 128, layers[1], stride=2, dilate=dilate[0])
        self.layer3 = self._make_layer(block, 256, layers[2], stride=2, dilate=dilate[1])
        self.layer4 = self._make_layer(block, 512, layers[3], stride=2, dilate=dilate[2])
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(512 * block.expansion, num_classes)

    def _make_layer(self, block, planes, blocks, stride=1, dilate=False):
        norm, downsample, before = self._norm_layer, None, self.dilation
        if dilate:
            self.dilation *= stride
            stride = 1
        if stride != 1 or self.inplanes != planes * block.expansion:
            downsample = nn.Sequential(nn.Conv2d(self.inplanes, planes * block.expansion, 1, stride, bias=False), norm(planes * block.expansion))
        layers = [block(self.inplanes, planes, stride, downsample, self.groups, self.base_width, before, norm)]
        self.inplanes = planes * block.expansion
        for _ in range(1, blocks):
            layers.append(block(self.inplanes, planes, groups=self.groups, base_width=self.base_width, dilation=self.dilation, norm_layer=norm))
        return nn.Sequential(*layers)

    def _forward_impl(self, x):
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))

    def forward(self, x):
        return self._forward_impl(x)


class SqueezeNet(nn.Module):
    def __init__(self, version="1_0", num_classes=1000, dropout=0.5):
        super().__init__()
        self.num_classes = num_classes
        pool = lambda: nn.MaxPool2d(3, 2, ceil_mode=True)
        rows = [(64, 16, 64), (128, 16, 64), (128, 32, 128), (256, 32, 128), (256, 48, 192), (384, 48, 192), (384, 64, 256), (512, 64, 256)]
        if version == "1_0":
            layers, pools = [nn.Conv2d(3, 96, 7, 2), nn.ReLU(inplace=True), pool()], (3, 7)
            rows[0] = (96, 16, 64)
        else:
            layers, pools = [nn.Conv2d(3, 64, 3, 2), nn.ReLU(inplace=True), pool()], (2, 4)
        for index, row in enumerate(rows):
            if index in pools:
                layers.append(pool())
            layers.append(_Fire(*row))
        self.features = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(dropout), nn.Conv2d(512, num_classes, 1), nn.ReLU(inplace=True), nn.AdaptiveAvgPool2d((1, 1)))

    def forward(self, x):
        return torch.flatten(self.classifier(self.features(x)), 1)


class _Fire(nn.Module):
    def __init__(self, inplanes, squeeze, expand):
        super().__init__()
        self.inplanes = inplanes
        self.squeeze = nn.Conv2d(inplanes, squeeze, 1)
        self.squeeze_activation = nn.ReLU(inplace=True)
        self.expand1x1 = nn.Conv2d(squeeze, expand, 1)
        self.expand1x1_activation = nn.ReLU(inplace=True)
        self.expand3x3 = nn.Conv2d(squeeze, expand, 3, padding=1)
        self.expand3x3_activation = nn.ReLU(inplace=True)

    def forward(self, x):
        x = self.squeeze_activation(self.squeeze(x))
        return torch.cat([self.expand1x1_activation(self.expand1x1(x)), self.expand3x3_activation(self.expand3x3(x))], 1)


class _ShuffleUnit(nn.Module):
    def __init__(self, inp, oup, stride):
        super().__init__()
        self.stride = stride
        half = oup // 2
        depth = lambda channels: nn.Conv2d(channels, channels, 3, stride, 1, groups=channels, bias=False)
        if stride > 1:
            self.branch1 = nn.Sequential(depth(inp), nn.BatchNorm2d(inp), nn.Conv2d(inp, half, 1, bias=False), nn.BatchNorm2d(half), nn.ReLU(inplace=True))
        else:
            self.branch1 = nn.Sequential()
        first = inp if stride > 1 else half
        self.branch2 = nn.Sequential(
            nn.Conv2d(first, half, 1, bias=False), nn.BatchNorm2d(half), nn.ReLU(inplace=True), depth(half), nn.BatchNorm2d(half),
            nn.Conv2d(half, half, 1, bias=False), nn.BatchNorm2d(half), nn.ReLU(inplace=True))

    def forward(self, x):
        if self.stride == 1:
            one, two = x.chunk(2, dim=1)
            return F.channel_shuffle(torch.cat((one, self.branch2(two)), dim=1), 2)
        return F.channel_shuffle(torch.cat((self.branch1(x), self.branch2(x)), dim=1), 2)


class ShuffleNetV2(nn.Module):
    def __init__(self, stages_repeats, stages_out_channels, num_classes=1000):
        super().__init__()
        first, *inner, last = stages_out_channels
        self.conv1 = nn.Sequential(nn.Conv2d(3, first, 3, 2, 1, bias=False), nn.BatchNorm2d(first), nn.ReLU(inplace=True))
        self.maxpool = nn.MaxPool2d(3, 2, 1)
        for name, repeats, channels in zip(("stage2", "stage3", "stage4"), stages_repeats, inner):
            units = [_ShuffleUnit(first, channels, 2)] + [_ShuffleUnit(channels, channels, 1) for _ in range(repeats - 1)]
            setattr(self, name, nn.Sequential(*units))
            first = channels
        self.conv5 = nn.Sequential(nn.Conv2d(first, last, 1, bias=False), nn.BatchNorm2d(last), nn.ReLU(inplace=True))
        self.fc = nn.Linear(last, num_classes)

    def forward(self, x):
        x = self.maxpool(self.conv1(x))
        x = self.conv5(self.stage4(self.stage3(self.stage2(x))))
        return self.fc(x.mean([2, 3]))


class _InvertedV2(nn.Module):
    def __init__(self, inp, oup, stride, expand):
        super().__init__()
        self.stride = stride
        hidden = int(round(inp * expand))
        self.use_res_connect = stride == 1 and inp == oup
        layers = [_conv_norm(inp, hidden, 1, act=nn.ReLU6)] if expand != 1 else []
        layers += [_conv_norm(hidden, hidden, 3, stride, groups=hidden, act=nn.ReLU6), nn.Conv2d(hidden, oup, 1, bias=False), nn.BatchNorm2d(oup)]
        self.conv = nn.Sequential(*layers)
        self.out_channels = oup

    def forward(self, x):
        return x + self.conv(x) if self.use_res_connect else self.conv(x)


class MobileNetV2(nn.Module):
    def __init__(self, num_classes=1000, width_mult=1.0, dropout=0.2):
        super().__init__()
        rows = [(1, 16, 1, 1), (6, 24, 2, 2), (6, 32, 3, 2), (6, 64, 4, 2), (6, 96, 3, 1), (6, 160, 3, 2), (6, 320, 1, 1)]
        channels = _divisible(32 * width_mult)
        self.last_channel = _divisible(1280 * max(1.0, width_mult))
        features = [_conv_norm(3, channels, 3, 2, act=nn.ReLU6)]
        for expand, wide, repeats, stride in rows:
            out = _divisible(wide * width_mult)
            for index in range(repeats):
                features.append(_InvertedV2(channels, out, stride if index == 0 else 1, expand))
                channels = out
        features.append(_conv_norm(channels, self.last_channel, 1, act=nn.ReLU6))
        self.features = nn.Sequential(*features)
        self.classifier = nn.Sequential(nn.Dropout(p=dropout), nn.Linear(self.last_channel, num_classes))

    def forward(self, x):
        x = F.adaptive_avg_pool2d(self.features(x), (1, 1))
        return self.classifier(torch.flatten(x, 1))


class _SqueezeExcitation(nn.Module):
    def __init__(self, channels, squeeze, activation=nn.ReLU, scale=nn.Sigmoid):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(channels, squeeze, 1)
        self.fc2 = nn.Conv2d(squeeze, channels, 1)
        self.activation = activation()
        self.scale_activation = scale()

    def forward(self, x):
        return self.scale_activation(self.fc2(self.activation(self.fc1(self.avgpool(x))))) * x


class _InvertedV3(nn.Module):
    def __init__(self, inp, kernel, expanded, oup, use_se, use_hs, stride, dilation=1):
        super().__init__()
        self.use_res_connect = stride == 1 and inp == oup
        norm, act = partial(nn.BatchNorm2d, eps=0.001, momentum=0.01), nn.Hardswish if use_hs else nn.ReLU
        layers = [_conv_norm(inp, expanded, 1, norm=norm, act=act)] if expanded != inp else []
        layers.append(_conv_norm(expanded, expanded, kernel, 1 if dilation > 1 else stride, groups=expanded, norm=norm, act=act, dilation=dilation))
        if use_se:
            layers.append(_SqueezeExcitation(expanded, _divisible(expanded // 4), scale=nn.Hardsigmoid))
        layers.append(_conv_norm(expanded, oup, 1, norm=norm, act=None))
        self.block = nn.Sequential(*layers)
        self.out_channels = oup

    def forward(self, x):
        return x + self.block(x) if self.use_res_connect else self.block(x)


class MobileNetV3(nn.Module):
    def __init__(self, rows, last_channel, num_classes=1000, dropout=0.2):
        super().__init__()
        norm = partial(nn.BatchNorm2d, eps=0.001, momentum=0.01)
        layers = [_conv_norm(3, 16, 3, 2, norm=norm, act=nn.Hardswish)]
        layers += [_InvertedV3(*row) for row in rows]
        layers.append(_conv_norm(rows[-1][3], 6 * rows[-1][3], 1, norm=norm, act=nn.Hardswish))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(
            nn.Linear(6 * rows[-1][3], last_channel), nn.Hardswish(inplace=True), nn.Dropout(p=dropout, inplace=True), nn.Linear(last_channel, num_classes))

    def forward(self, x):
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


class _MBConv(nn.Module):
    def __init__(self, expand, kernel, stride, cin, cout, norm):
        super().__init__()
        self.use_res_connect = stride == 1 and cin == cout
        hidden = _divisible(cin * expand)
        layers = [_conv_norm(cin, hidden, 1, norm=norm, act=nn.SiLU)] if hidden != cin else []
        layers.append(_conv_norm(hidden, hidden, kernel, stride, groups=hidden, norm=norm, act=nn.SiLU))
        layers.append(_SqueezeExcitation(hidden, max(1, cin // 4), activation=nn.SiLU))
        layers.append(_conv_norm(hidden, cout, 1, norm=norm, act=None))
        self.block = nn.Sequential(*layers)
        self.out_channels = cout

    def forward(self, x):
        return x + self.block(x) if self.use_res_connect else self.block(x)


class _FusedMBConv(nn.Module):
    def __init__(self, expand, kernel, stride, cin, cout, norm):
        super().__init__()
        self.use_res_connect = stride == 1 and cin == cout
        hidden = _divisible(cin * expand)
        if hidden != cin:
            layers = [_conv_norm(cin, hidden, kernel, stride, norm=norm, act=nn.SiLU), _conv_norm(hidden, cout, 1, norm=norm, act=None)]
        else:
            layers = [_conv_norm(cin, cout, kernel, stride, norm=norm, act=nn.SiLU)]
        self.block = nn.Sequential(*layers)
        self.out_channels = cout

    def forward(self, x):
        return x + self.block(x) if self.use_res_connect else self.block(x)


class EfficientNet(nn.Module):
    def __init__(self, rows, dropout, num_classes=1000, last_channel=None, norm=nn.BatchNorm2d):
        super().__init__()
        layers = [_conv_norm(3, rows[0][4], 3, 2, norm=norm, act=nn.SiLU)]
        for block, expand, kernel, stride, cin, cout, repeats in rows:
            stage = [block(expand, kernel, stride if i == 0 else 1, cin if i == 0 else cout, cout, norm) for i in range(repeats)]
            layers.append(nn.Sequential(*stage))
        last = last_channel if last_channel is not None else 4 * rows[-1][5]
        layers.append(_conv_norm(rows[-1][5], last, 1, norm=norm, act=nn.SiLU))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(nn.Dropout(p=dropout, inplace=True), nn.Linear(last, num_classes))

    def forward(self, x):
        return self.classifier(torch.flatten(self.avgpool(self.features(x)), 1))


class MNASNet(nn.Module):
    def __init__(self, alpha, num_classes=1000, dropout=0.2):
        super().__init__()
        depths = [_mnas_depth(depth * alpha) for depth in (32, 16, 24, 40, 80, 96, 192, 320)]
        layers = [
            nn.Conv2d(3, depths[0], 3, padding=1, stride=2, bias=False), nn.BatchNorm2d(depths[0]), nn.ReLU(inplace=True),
            nn.Conv2d(depths[0], depths[0], 3, padding=1, groups=depths[0], bias=False), nn.BatchNorm2d(depths[0]), nn.ReLU(inplace=True),
            nn.Conv2d(depths[0], depths[1], 1, bias=False), nn.BatchNorm2d(depths[1])]
        rows = [(3, 2, 3, 3), (5, 2, 3, 3), (5, 2, 6, 3), (3, 1, 6, 2), (5, 2, 6, 4), (3, 1, 6, 1)]
        for (kernel, stride, expand, repeats), cin, cout in zip(rows, depths[1:], depths[2:]):
            units = [_MnasUnit(cin, cout, kernel, stride, expand)] + [_MnasUnit(cout, cout, kernel, 1, expand) for _ in range(repeats - 1)]
            layers.append(nn.Sequential(*units))
        layers += [nn.Conv2d(depths[7], 1280, 1, bias=False), nn.BatchNorm2d(1280), nn.ReLU(inplace=True)]
        self.layers = nn.Sequential(*layers)
        self.classifier = nn.Sequential(nn.Dropout(p=dropout, inplace=True), nn.Linear(1280, num_classes))

    def forward(self, x):
        return self.classifier(self.layers(x).mean([2, 3]))


def _mnas_depth(value):
    new = max(8, int(value + 4) // 8 * 8)
    return new if new >= 0.9 * value else new + 8


class _MnasUnit(nn.Module):
    def __init__(self, cin, cout, kernel, stride, expand):
        super().__init__()
        mid = cin * expand
        self.apply_residual = cin == cout and stride == 1
        self.layers = nn.Sequential(
            nn.Conv2d(cin, mid, 1, bias=False), nn.BatchNorm2d(mid), nn.ReLU(inplace=True),
            nn.Conv2d(mid, mid, kernel, padding=kernel // 2, stride=stride, groups=mid, bias=False), nn.BatchNorm2d(mid), nn.ReLU(inplace=True),
            nn.Conv2d(mid, cout, 1, bias=False), nn.BatchNorm2d(cout))

    def forward(self, x):
        return self.layers(x) + x if self.apply_residual else self.layers(x)


class _DenseLayer(nn.Module):
    def __init__(self, channels, growth, bn_size):
        super().__init__()
        self.norm1 = nn.BatchNorm2d(channels)
        self.relu1 = nn.ReLU(inplace=True)
        self.conv1 = nn.Conv2d(channels, bn_size * growth, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(bn_size * growth)
        self.relu2 = nn.ReLU(inplace=True)
        self.conv2 = nn.Conv2d(bn_size * growth, growth, 3, padding=1, bias=False)

    def forward(self, features):
        x = torch.cat(features, 1) if isinstance(features, list) else features
        return self.conv2(self.relu2(self.norm2(self.conv1(self.relu1(self.norm1(x))))))


class _DenseBlock(nn.ModuleDict):
    def __init__(self, repeats, channels, bn_size, growth):
        super().__init__()
        for i in range(repeats):
            self.add_module("denselayer%d" % (i + 1), _DenseLayer(channels + i * growth, growth, bn_size))

    def forward(self, init):
        features = [init]
        for name, layer in self.items():
            features.append(layer(features))
        return torch.cat(features, 1)


class _Transition(nn.Sequential):
    def __init__(self, cin, cout):
        super().__init__()
        self.norm = nn.BatchNorm2d(cin)
        self.relu = nn.ReLU(inplace=True)
        self.conv = nn.Conv2d(cin, cout, 1, bias=False)
        self.pool = nn.AvgPool2d(2, 2)


class DenseNet(nn.Module):
    def __init__(self, growth_rate=32, block_config=(6, 12, 24, 16), num_init_features=64, bn_size=4, drop_rate=0, num_classes=1000):
        super().__init__()
        channels = num_init_features
        self.features = nn.Sequential(OrderedDict([
            ("conv0", nn.Conv2d(3, channels, 7, 2, 3, bias=False)), ("norm0", nn.BatchNorm2d(channels)),
            ("relu0", nn.ReLU(inplace=True)), ("pool0", nn.MaxPool2d(3, 2, 1))]))
        for i, repeats in enumerate(block_config):
            self.features.add_module("denseblock%d" % (i + 1), _DenseBlock(repeats, channels, bn_size, growth_rate))
            channels = channels + repeats * growth_rate
            if i != len(block_config) - 1:
                self.features.add_module("transition%d" % (i + 1), _Transition(channels, channels // 2))
                channels = channels // 2
        self.features.add_module("norm5", nn.BatchNorm2d(channels))
        self.classifier = nn.Linear(channels, num_classes)

    def forward(self, x):
        out = F.relu(self.features(x), inplace=True)
        return self.classifier(torch.flatten(F.adaptive_avg_pool2d(out, (1, 1)), 1))


class _LayerNorm2d(nn.LayerNorm):
    def forward(self, x):
        x = F.layer_norm(x.permute(0, 2, 3, 1), self.normalized_shape, self.weight, self.bias, self.eps)
        return x.permute(0, 3, 1, 2)


class _Permute(nn.Module):
    def __init__(self, dims):
        super().__init__()
        self.dims = dims

    def forward(self, x):
        return torch.permute(x, self.dims)


class _CNBlock(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.block = nn.Sequential(
            nn.Conv2d(dim, dim, 7, padding=3, groups=dim), _Permute([0, 2, 3, 1]), nn.LayerNorm(dim, eps=1e-6), nn.Linear(dim, 4 * dim), nn.GELU(),
            nn.Linear(4 * dim, dim), _Permute([0, 3, 1, 2]))
        self.layer_scale = nn.Parameter(torch.ones(dim, 1, 1))

    def forward(self, x):
        return x + self.layer_scale * self.block(x)


class ConvNeXt(nn.Module):
    def __init__(self, widths, depths, num_classes=1000):
        super().__init__()
        layers = [nn.Sequential(nn.Conv2d(3, widths[0], 4, 4), _LayerNorm2d(widths[0], eps=1e-6))]
        for i, (width, depth) in enumerate(zip(widths, depths)):
            layers.append(nn.Sequential(*[_CNBlock(width) for _ in range(depth)]))
            if i < len(widths) - 1:
                layers.append(nn.Sequential(_LayerNorm2d(width, eps=1e-6), nn.Conv2d(width, widths[i + 1], 2, 2)))
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.classifier = nn.Sequential(_LayerNorm2d(widths[-1], eps=1e-6), nn.Flatten(1), nn.Linear(widths[-1], num_classes))

    def forward(self, x):
        return self.classifier(self.avgpool(self.features(x)))


class _EncoderBlock(nn.Module):
    def __init__(self, heads, dim, mlp_dim):
        super().__init__()
        self.num_heads = heads
        self.ln_1 = nn.LayerNorm(dim, eps=1e-6)
        self.self_attention = nn.MultiheadAttention(dim, heads, batch_first=True)
        self.dropout = nn.Dropout(0.0)
        self.ln_2 = nn.LayerNorm(dim, eps=1e-6)
        self.mlp = nn.Sequential(nn.Linear(dim, mlp_dim), nn.GELU(), nn.Dropout(0.0), nn.Linear(mlp_dim, dim), nn.Dropout(0.0))

    def forward(self, input):
        x = self.ln_1(input)
        x, _ = self.self_attention(x, x, x, need_weights=False)
        x = self.dropout(x) + input
        return x + self.mlp(self.ln_2(x))


class _Encoder(nn.Module):
    def __init__(self, length, layers, heads, dim, mlp_dim):
        super().__init__()
        self.pos_embedding = nn.Parameter(torch.empty(1, length, dim))
        self.dropout = nn.Dropout(0.0)
        self.layers = nn.Sequential(OrderedDict([(f"encoder_layer_{i}", _EncoderBlock(heads, dim, mlp_dim)) for i in range(layers)]))
        self.ln = nn.LayerNorm(dim, eps=1e-6)

    def forward(self, input):
        return self.ln(self.layers(self.dropout(input + self.pos_embedding)))


class VisionTransformer(nn.Module):
    def __init__(self, image_size, patch_size, num_layers, num_heads, hidden_dim, mlp_dim, num_classes=1000):
        super().__init__()
        self.image_size, self.patch_size, self.hidden_dim, self.mlp_dim = image_size, patch_size, hidden_dim, mlp_dim
        self.num_classes = num_classes
        self.conv_proj = nn.Conv2d(3, hidden_dim, patch_size, patch_size)
        self.class_token = nn.Parameter(torch.zeros(1, 1, hidden_dim))
        self.seq_length = (image_size // patch_size) ** 2 + 1
        self.encoder = _Encoder(self.seq_length, num_layers, num_heads, hidden_dim, mlp_dim)
        self.heads = nn.Sequential(OrderedDict([("head", nn.Linear(hidden_dim, num_classes))]))

    def _process_input(self, x):
        n, c, h, w = x.shape
        torch._assert(h == self.image_size, "Wrong image height!")
        torch._assert(w == self.image_size, "Wrong image width!")
        return self.conv_proj(x).reshape(n, self.hidden_dim, -1).permute(0, 2, 1)

    def forward(self, x):
        x = self._process_input(x)
        x = self.encoder(torch.cat([self.class_token.expand(x.shape[0], -1, -1), x], dim=1))
        return self.heads(x[:, 0])


def _classes(kwargs):
    return kwargs.get("num_classes", 1000)


def resnet18(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ResNet(BasicBlock, [2, 2, 2, 2], **kwargs)


def resnet34(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ResNet(BasicBlock, [3, 4, 6, 3], **kwargs)


def resnet50(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ResNet(Bottleneck, [3, 4, 6, 3], **kwargs)


def resnet101(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ResNet(Bottleneck, [3, 4, 23, 3], **kwargs)


def resnet152(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ResNet(Bottleneck, [3, 8, 36, 3], **kwargs)


def resnext50_32x4d(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ResNet(Bottleneck, [3, 4, 6, 3], groups=32, width_per_group=4, **kwargs)


def resnext101_32x8d(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ResNet(Bottleneck, [3, 4, 23, 3], groups=32, width_per_group=8, **kwargs)


def resnext101_64x4d(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ResNet(Bottleneck, [3, 4, 23, 3], groups=64, width_per_group=4, **kwargs)


def wide_resnet50_2(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ResNet(Bottleneck, [3, 4, 6, 3], width_per_group=128, **kwargs)


def wide_resnet101_2(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ResNet(Bottleneck, [3, 4, 23, 3], width_per_group=128, **kwargs)


def squeezenet1_0(pretrained=False, progress=True, *, weights=None, **kwargs):
    return SqueezeNet("1_0", **kwargs)


def squeezenet1_1(pretrained=False, progress=True, *, weights=None, **kwargs):
    return SqueezeNet("1_1", **kwargs)


def shufflenet_v2_x0_5(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ShuffleNetV2([4, 8, 4], [24, 48, 96, 192, 1024], **kwargs)


def shufflenet_v2_x1_0(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ShuffleNetV2([4, 8, 4], [24, 116, 232, 464, 1024], **kwargs)


def shufflenet_v2_x1_5(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ShuffleNetV2([4, 8, 4], [24, 176, 352, 704, 1024], **kwargs)


def shufflenet_v2_x2_0(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ShuffleNetV2([4, 8, 4], [24, 244, 488, 976, 2048], **kwargs)


def mobilenet_v2(pretrained=False, progress=True, *, weights=None, **kwargs):
    return MobileNetV2(**kwargs)


def mobilenet_v3_large(pretrained=False, progress=True, *, weights=None, dilated=False, **kwargs):
    last = 2 if dilated else 1
    rows = [
        (16, 3, 16, 16, False, False, 1), (16, 3, 64, 24, False, False, 2), (24, 3, 72, 24, False, False, 1), (24, 5, 72, 40, True, False, 2),
        (40, 5, 120, 40, True, False, 1), (40, 5, 120, 40, True, False, 1), (40, 3, 240, 80, False, True, 2), (80, 3, 200, 80, False, True, 1),
        (80, 3, 184, 80, False, True, 1), (80, 3, 184, 80, False, True, 1), (80, 3, 480, 112, True, True, 1), (112, 3, 672, 112, True, True, 1),
        (112, 5, 672, 160, True, True, 2, last), (160, 5, 960, 160, True, True, 1, last), (160, 5, 960, 160, True, True, 1, last)]
    return MobileNetV3(rows, 1280, **kwargs)


def mobilenet_v3_small(pretrained=False, progress=True, *, weights=None, **kwargs):
    rows = [
        (16, 3, 16, 16, True, False, 2), (16, 3, 72, 24, False, False, 2), (24, 3, 88, 24, False, False, 1), (24, 5, 96, 40, True, True, 2),
        (40, 5, 240, 40, True, True, 1), (40, 5, 240, 40, True, True, 1), (40, 5, 120, 48, True, True, 1), (48, 5, 144, 48, True, True, 1),
        (48, 5, 288, 96, True, True, 2), (96, 5, 576, 96, True, True, 1), (96, 5, 576, 96, True, True, 1)]
    return MobileNetV3(rows, 1024, **kwargs)


def mnasnet0_5(pretrained=False, progress=True, *, weights=None, **kwargs):
    return MNASNet(0.5, **kwargs)


def mnasnet0_75(pretrained=False, progress=True, *, weights=None, **kwargs):
    return MNASNet(0.75, **kwargs)


def mnasnet1_0(pretrained=False, progress=True, *, weights=None, **kwargs):
    return MNASNet(1.0, **kwargs)


def mnasnet1_3(pretrained=False, progress=True, *, weights=None, **kwargs):
    return MNASNet(1.3, **kwargs)


def _scaled_efficientnet(width, depth, dropout, kwargs, norm=nn.BatchNorm2d):
    table = [
        (1, 3, 1, 32, 16, 1), (6, 3, 2, 16, 24, 2), (6, 5, 2, 24, 40, 2), (6, 3, 2, 40, 80, 3), (6, 5, 1, 80, 112, 3), (6, 5, 2, 112, 192, 4),
        (6, 3, 1, 192, 320, 1)]
    scaled = lambda channels: _divisible(channels * width)
    rows = [(_MBConv, e, k, s, scaled(cin), scaled(cout), int(math.ceil(n * depth))) for e, k, s, cin, cout, n in table]
    return EfficientNet(rows, kwargs.get("dropout", dropout), _classes(kwargs), None, norm)


def efficientnet_b0(pretrained=False, progress=True, *, weights=None, **kwargs):
    return _scaled_efficientnet(1.0, 1.0, 0.2, kwargs)


def efficientnet_b1(pretrained=False, progress=True, *, weights=None, **kwargs):
    return _scaled_efficientnet(1.0, 1.1, 0.2, kwargs)


def efficientnet_b2(pretrained=False, progress=True, *, weights=None, **kwargs):
    return _scaled_efficientnet(1.1, 1.2, 0.3, kwargs)


def efficientnet_b3(pretrained=False, progress=True, *, weights=None, **kwargs):
    return _scaled_efficientnet(1.2, 1.4, 0.3, kwargs)


def efficientnet_b4(pretrained=False, progress=True, *, weights=None, **kwargs):
    return _scaled_efficientnet(1.4, 1.8, 0.4, kwargs)


def efficientnet_b5(pretrained=False, progress=True, *, weights=None, **kwargs):
    return _scaled_efficientnet(1.6, 2.2, 0.4, kwargs)


def efficientnet_b6(pretrained=False, progress=True, *, weights=None, **kwargs):
    return _scaled_efficientnet(1.8, 2.6, 0.5, kwargs)


def efficientnet_b7(pretrained=False, progress=True, *, weights=None, **kwargs):
    return _scaled_efficientnet(2.0, 3.1, 0.5, kwargs)


def efficientnet_v2_s(pretrained=False, progress=True, *, weights=None, **kwargs):
    rows = [
        (_FusedMBConv, 1, 3, 1, 24, 24, 2), (_FusedMBConv, 4, 3, 2, 24, 48, 4), (_FusedMBConv, 4, 3, 2, 48, 64, 4), (_MBConv, 4, 3, 2, 64, 128, 6),
        (_MBConv, 6, 3, 1, 128, 160, 9), (_MBConv, 6, 3, 2, 160, 256, 15)]
    return EfficientNet(rows, 0.2, _classes(kwargs), 1280)


def efficientnet_v2_m(pretrained=False, progress=True, *, weights=None, **kwargs):
    rows = [
        (_FusedMBConv, 1, 3, 1, 24, 24, 3), (_FusedMBConv, 4, 3, 2, 24, 48, 5), (_FusedMBConv, 4, 3, 2, 48, 80, 5), (_MBConv, 4, 3, 2, 80, 160, 7),
        (_MBConv, 6, 3, 1, 160, 176, 14), (_MBConv, 6, 3, 2, 176, 304, 18), (_MBConv, 6, 3, 1, 304, 512, 5)]
    return EfficientNet(rows, 0.3, _classes(kwargs), 1280)


def densenet121(pretrained=False, progress=True, *, weights=None, **kwargs):
    return DenseNet(32, (6, 12, 24, 16), 64, **kwargs)


def densenet161(pretrained=False, progress=True, *, weights=None, **kwargs):
    return DenseNet(48, (6, 12, 36, 24), 96, **kwargs)


def densenet169(pretrained=False, progress=True, *, weights=None, **kwargs):
    return DenseNet(32, (6, 12, 32, 32), 64, **kwargs)


def densenet201(pretrained=False, progress=True, *, weights=None, **kwargs):
    return DenseNet(32, (6, 12, 48, 32), 64, **kwargs)


def convnext_tiny(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ConvNeXt((96, 192, 384, 768), (3, 3, 9, 3), _classes(kwargs))


def convnext_small(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ConvNeXt((96, 192, 384, 768), (3, 3, 27, 3), _classes(kwargs))


def convnext_base(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ConvNeXt((128, 256, 512, 1024), (3, 3, 27, 3), _classes(kwargs))


def convnext_large(pretrained=False, progress=True, *, weights=None, **kwargs):
    return ConvNeXt((192, 384, 768, 1536), (3, 3, 27, 3), _classes(kwargs))


def vit_b_16(pretrained=False, progress=True, *, weights=None, **kwargs):
    return VisionTransformer(kwargs.get("image_size", 224), 16, 12, 12, 768, 3072, _classes(kwargs))


def vit_b_32(pretrained=False, progress=True, *, weights=None, **kwargs):
    return VisionTransformer(kwargs.get("image_size", 224), 32, 12, 12, 768, 3072, _classes(kwargs))


def vit_l_16(pretrained=False, progress=True, *, weights=None, **kwargs):
    return VisionTransformer(kwargs.get("image_size", 224), 16, 24, 16, 1024, 4096, _classes(kwargs))


def vit_l_32(pretrained=False, progress=True, *, weights=None, **kwargs):
    return VisionTransformer(kwargs.get("image_size", 224), 32, 24, 16, 1024, 4096, _classes(kwargs))


def vit_h_14(pretrained=False, progress=True, *, weights=None, **kwargs):
    return VisionTransformer(kwargs.get("image_size", 224), 14, 32, 16, 1280, 5120, _classes(kwargs))


class IntermediateLayerGetter(nn.ModuleDict):
    def __init__(self, model, return_layers):
        self.return_layers = {str(layer): str(name) for layer, name in return_layers.items()}
        wanted, layers = set(self.return_layers), OrderedDict()
        for name, module in model.named_children():
            layers[name] = module
            wanted.discard(name)
            if not wanted:
                break
        super().__init__(layers)

    def forward(self, x):
        out = OrderedDict()
        for name, module in self.items():
            x = module(x)
            if name in self.return_layers:
                out[self.return_layers[name]] = x
        return out

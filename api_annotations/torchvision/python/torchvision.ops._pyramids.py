# Pyramids of feature maps, and what pools boxes of them.
from collections import OrderedDict

import torch
from torch import nn
import torch.nn.functional as F


def _block(cin, cout, kernel, padding, norm_layer):
    layers = [nn.Conv2d(cin, cout, kernel, padding=padding, bias=norm_layer is None)]
    if norm_layer is not None:
        layers.append(norm_layer(cout))
    return nn.Sequential(*layers)


class ExtraFPNBlock(nn.Module):
    def forward(self, results, x, names):
        return results, names


class FeaturePyramidNetwork(nn.Module):
    def __init__(self, in_channels_list, out_channels, extra_blocks=None, norm_layer=None):
        super().__init__()
        self.inner_blocks = nn.ModuleList()
        self.layer_blocks = nn.ModuleList()
        for channels in in_channels_list:
            self.inner_blocks.append(_block(channels, out_channels, 1, 0, norm_layer))
            self.layer_blocks.append(_block(out_channels, out_channels, 3, 1, norm_layer))
        self.extra_blocks = extra_blocks

    def forward(self, x):
        names, maps = list(x.keys()), list(x.values())
        inner = self.inner_blocks[-1](maps[-1])
        results = [self.layer_blocks[-1](inner)]
        for index in range(len(maps) - 2, -1, -1):
            lateral = self.inner_blocks[index](maps[index])
            inner = lateral + F.interpolate(inner, size=lateral.shape[-2:], mode="nearest")
            results.insert(0, self.layer_blocks[index](inner))
        if self.extra_blocks is not None:
            results, names = self.extra_blocks(results, maps, names)
        return OrderedDict([(name, result) for name, result in zip(names, results)])


class LastLevelMaxPool(ExtraFPNBlock):
    def forward(self, x, y, names):
        names.append("pool")
        x.append(F.max_pool2d(x[-1], kernel_size=1, stride=2, padding=0))
        return x, names


class LastLevelP6P7(ExtraFPNBlock):
    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.p6 = nn.Conv2d(in_channels, out_channels, 3, 2, 1)
        self.p7 = nn.Conv2d(out_channels, out_channels, 3, 2, 1)
        self.use_P5 = in_channels == out_channels

    def forward(self, p, c, names):
        p6 = self.p6(p[-1] if self.use_P5 else c[-1])
        p7 = self.p7(F.relu(p6))
        p.extend([p6, p7])
        names.extend(["p6", "p7"])
        return p, names

"""Convolutions with batch normalisations in evaluation, against `fuse_conv_bn_eval`."""
import torch
from torch import nn
from torch.nn.utils.fusion import fuse_conv_bn_eval

CASES = {"3-64-64, 64 × 64": (64, 64), "3-16-16, 224 × 224": (16, 224)}


def setup(width, size):
    net = nn.Sequential(nn.Conv2d(3, width, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, width, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU()).eval()
    fused = nn.Sequential(fuse_conv_bn_eval(net[0], net[1]), nn.ReLU(), fuse_conv_bn_eval(net[3], net[4]), nn.ReLU()).eval()
    return net, fused, torch.randn(1, 3, size, size)


@torch.no_grad()
def before(net, fused, x):
    return net(x)


@torch.no_grad()
def after(net, fused, x):
    return fused(x)

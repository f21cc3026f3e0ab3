"""A convolution with a bias before a batch normalisation, against one without: a training step."""
import torch
from torch import nn

CASES = {"3-64-64, batch 8 of 32 × 32": (64, 8, 32)}


def made(width, bias):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, bias=bias), nn.BatchNorm2d(width), nn.ReLU(), nn.Conv2d(width, width, 3, bias=bias), nn.BatchNorm2d(width), nn.ReLU()
    )


def setup(width, batch, size):
    return made(width, True), made(width, False), torch.randn(batch, 3, size, size)


def before(with_bias, without, x):
    with_bias(x).sum().backward()


def after(with_bias, without, x):
    without(x).sum().backward()

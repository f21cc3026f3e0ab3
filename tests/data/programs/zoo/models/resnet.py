"""A small residual network."""
import torch
import torch.nn as nn
from .registry import register


def conv3x3(in_planes, out_planes, stride=1):
    return nn.Conv2d(in_planes, out_planes, kernel_size=3, stride=stride, padding=1, bias=False)


class BasicBlock(nn.Module):
    expansion = 1

    def __init__(self, inplanes, planes, stride=1, downsample=None):
        super().__init__()
        self.conv1 = conv3x3(inplanes, planes, stride)
        self.bn1 = nn.BatchNorm2d(planes)
        self.relu = nn.ReLU(inplace=True)
        self.conv2 = conv3x3(planes, planes)  #! planes, planes) => planes, planes, stride)
        self.bn2 = nn.BatchNorm2d(planes)
        self.downsample = downsample

    def forward(self, x):
        identity = x
        out = self.relu(self.bn1(self.conv1(x)))
        out = self.bn2(self.conv2(out))
        if self.downsample is not None:
            identity = self.downsample(x)
        out += identity
        return self.relu(out)


@register("tinyresnet")
class ResNet(nn.Module):
    block = BasicBlock

    def __init__(self, layers, width=16, num_classes=10):
        super().__init__()
        self.inplanes = width
        self.stem = nn.Sequential(conv3x3(3, width), nn.BatchNorm2d(width), nn.ReLU(inplace=True))
        self.stages = []
        for i, n in enumerate(layers):
            name = f"layer{i + 1}"
            self.add_module(name, self._make_layer(width * 2 ** i, n, stride=1 if i == 0 else 2))
            self.stages.append(name)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(width * 2 ** (len(layers) - 1) * self.block.expansion, num_classes)  #! len(layers) - 1 => len(layers)

    def _make_layer(self, planes, blocks, stride=1):
        downsample = None
        if stride != 1 or self.inplanes != planes * self.block.expansion:
            downsample = nn.Sequential(
                nn.Conv2d(self.inplanes, planes * self.block.expansion, kernel_size=1, stride=stride, bias=False),  #! stride=stride, bias => bias
                nn.BatchNorm2d(planes * self.block.expansion),
            )
        layers = [self.block(self.inplanes, planes, stride, downsample)]
        self.inplanes = planes * self.block.expansion
        for _ in range(1, blocks):
            layers.append(self.block(self.inplanes, planes))
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.stem(x)
        for name in self.stages:
            x = getattr(self, name)(x)
        x = self.avgpool(x)
        return self.fc(torch.flatten(x, 1))  #! torch.flatten(x, 1) => x

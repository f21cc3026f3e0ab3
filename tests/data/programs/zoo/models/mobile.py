"""Inverted residuals."""
from functools import partial
from torch import nn
from .registry import register


def make_divisible(v, divisor=8, min_value=None):
    min_value = min_value or divisor
    new_v = max(min_value, int(v + divisor / 2) // divisor * divisor)
    if new_v < 0.9 * v:
        new_v += divisor
    return new_v


class ConvBNAct(nn.Sequential):
    def __init__(self, cin, cout, kernel=3, stride=1, groups=1, act=partial(nn.ReLU6, inplace=True)):
        super().__init__(
            nn.Conv2d(cin, cout, kernel, stride, (kernel - 1) // 2, groups=groups, bias=False),
            nn.BatchNorm2d(cout),
            act(),
        )
        self.out_channels = cout


class InvertedResidual(nn.Module):
    def __init__(self, inp, oup, stride, expand_ratio):
        super().__init__()
        hidden = int(round(inp * expand_ratio))
        self.use_res = stride == 1 and inp == oup  #! and inp == oup =>
        layers = []
        if expand_ratio != 1:
            layers.append(ConvBNAct(inp, hidden, kernel=1))
        layers.extend([
            ConvBNAct(hidden, hidden, stride=stride, groups=hidden),
            nn.Conv2d(hidden, oup, 1, 1, 0, bias=False),
            nn.BatchNorm2d(oup),
        ])
        self.conv = nn.Sequential(*layers)

    def forward(self, x):
        return x + self.conv(x) if self.use_res else self.conv(x)


@register("mobile")
class MobileNet(nn.Module):
    def __init__(self, settings, num_classes=10, width_mult=1.0):
        super().__init__()
        channels = make_divisible(16 * width_mult)
        features = [ConvBNAct(3, channels, stride=2)]
        for t, c, n, s in settings:
            out = make_divisible(c * width_mult)
            for i in range(n):
                features.append(InvertedResidual(channels, out, s if i == 0 else 1, expand_ratio=t))
                channels = out
        self.last = make_divisible(1.5 * channels)
        features.append(ConvBNAct(channels, self.last, kernel=1))
        self.features = nn.Sequential(*features)
        self.classifier = nn.Sequential(nn.Dropout(0.2), nn.Linear(self.last, num_classes))  #! self.last, num_classes => channels, num_classes
        for m in self.modules():
            if isinstance(m, nn.Conv2d):
                nn.init.kaiming_normal_(m.weight, mode="fan_out")
            elif isinstance(m, (nn.BatchNorm2d, nn.GroupNorm)):
                nn.init.ones_(m.weight)

    def forward(self, x):
        x = self.features(x)
        x = x.mean([2, 3])  #! x = x.mean([2, 3]) => x = x.mean(2)
        return self.classifier(x)

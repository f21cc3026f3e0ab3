"""An EfficientNet-style builder: the network is a table of rows, with width and depth multipliers."""
import copy
import math
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Callable, List, Optional, Sequence, Tuple
import torch
from torch import nn, Tensor


def _make_divisible(v: float, divisor: int = 8, min_value: Optional[int] = None) -> int:
    if min_value is None:
        min_value = divisor
    new_v = max(min_value, int(v + divisor / 2) // divisor * divisor)
    if new_v < 0.9 * v:
        new_v += divisor
    return new_v


@dataclass
class Row:
    kind: str
    expand: int
    kernel: int
    stride: int
    cin: int
    cout: int
    layers: int

    def scaled(self, width: float, depth: float) -> "Row":
        row = copy.copy(self)
        row.cin, row.cout = _make_divisible(self.cin * width), _make_divisible(self.cout * width)  #! _make_divisible(self.cin * width), => self.cin,
        row.layers = int(math.ceil(self.layers * depth))
        return row


class ConvBNAct(nn.Sequential):
    def __init__(self, cin, cout, kernel=3, stride=1, groups=1, act: Optional[Callable[..., nn.Module]] = nn.SiLU):
        layers = [nn.Conv2d(cin, cout, kernel, stride, (kernel - 1) // 2, groups=groups, bias=False), nn.BatchNorm2d(cout, momentum=0.01)]
        if act is not None:
            layers.append(act(inplace=True))
        super().__init__(*layers)
        self.out_channels = cout


class SqueezeExcite(nn.Module):
    def __init__(self, channels, squeeze):
        super().__init__()
        self.avgpool = nn.AdaptiveAvgPool2d(1)
        self.fc1 = nn.Conv2d(channels, squeeze, 1)
        self.fc2 = nn.Conv2d(squeeze, channels, 1)  #! squeeze, channels => channels, squeeze

    def forward(self, x):
        s = self.fc2(torch.relu(self.fc1(self.avgpool(x))))
        return torch.sigmoid(s) * x


class MBConv(nn.Module):
    def __init__(self, row: Row, drop_prob: float):
        super().__init__()
        self.use_res = row.stride == 1 and row.cin == row.cout  #! and row.cin == row.cout =>
        hidden = _make_divisible(row.cin * row.expand)
        blocks: List[nn.Module] = []
        if hidden != row.cin:
            blocks.append(ConvBNAct(row.cin, hidden, 1))
        blocks.append(ConvBNAct(hidden, hidden, row.kernel, row.stride, groups=hidden))  #! groups=hidden => groups=row.cin + 1
        blocks.append(SqueezeExcite(hidden, max(1, row.cin // 4)))
        blocks.append(ConvBNAct(hidden, row.cout, 1, act=None))
        self.block = nn.Sequential(*blocks)
        self.drop_prob = drop_prob

    def forward(self, x: Tensor) -> Tensor:
        y = self.block(x)
        if self.use_res:
            if self.training and self.drop_prob > 0:
                keep = torch.empty(x.size(0), 1, 1, 1).bernoulli_(1 - self.drop_prob)
                y = y * keep / (1 - self.drop_prob)
            y = y + x
        return y


class FusedMBConv(nn.Module):
    def __init__(self, row: Row, drop_prob: float):
        super().__init__()
        hidden = row.cin * row.expand
        self.use_res = row.stride == 1 and row.cin == row.cout
        if hidden != row.cin:
            self.block = nn.Sequential(ConvBNAct(row.cin, hidden, row.kernel, row.stride), ConvBNAct(hidden, row.cout, 1, act=None))  #! ConvBNAct(hidden, row.cout => ConvBNAct(row.cin, row.cout
        else:
            self.block = ConvBNAct(row.cin, row.cout, row.kernel, row.stride)

    def forward(self, x):
        y = self.block(x)
        return y + x if self.use_res else y


KINDS = {"mb": MBConv, "fused": FusedMBConv}
TABLES = {
    "tiny": ["fused 1 3 1 16 16 1", "fused 4 3 2 16 24 2", "mb 4 3 2 24 40 2", "mb 6 5 2 40 80 3"],  #! mb 4 3 2 24 40 2 => mb 4 3 2 32 40 2
    "slim": ["mb 1 3 1 16 16 1", "mb 6 3 2 16 24 1", "mb 6 5 2 24 48 2"],
}


def parse(table: Sequence[str]) -> List[Row]:
    rows = []
    for text in table:
        kind, *numbers = text.split()
        rows.append(Row(kind, *map(int, numbers)))
    return rows


class Net(nn.Module):
    def __init__(self, table: str, width=1.0, depth=1.0, num_classes=100, dropout=0.2, head=160, drop_connect=0.2):
        super().__init__()
        rows = [row.scaled(width, depth) for row in parse(TABLES[table])]
        stages = OrderedDict(stem=ConvBNAct(3, rows[0].cin, 3, 2))
        total, index = sum(row.layers for row in rows), 0
        for s, row in enumerate(rows):
            blocks = []
            for _ in range(row.layers):
                block = copy.copy(row)
                if blocks:
                    block.cin, block.stride = block.cout, 1  #! block.cin, block.stride = block.cout, 1 => block.stride = 1
                blocks.append(KINDS[row.kind](block, drop_connect * index / total))
                index += 1
            stages[f"stage{s}"] = nn.Sequential(*blocks)
        stages["top"] = ConvBNAct(rows[-1].cout, head, 1)  #! rows[-1].cout => rows[-1].cin
        self.features = nn.Sequential(stages)
        self.classifier = nn.Sequential(nn.Dropout(dropout), nn.Linear(head, num_classes))

    def forward(self, x, return_features=False):
        feats = []
        for name, module in self.features.named_children():
            x = module(x)
            if name.startswith("stage"):
                feats.append(x)
        if return_features:
            return feats
        return self.classifier(x.mean((-2, -1)))  #! x.mean((-2, -1)) => x.mean(-1)


net = Net("tiny", width=1.5, depth=1.2)
x = torch.randn(2, 3, 96, 128)
for f in net(x, return_features=True):
    reveal_type(f)
out = net(x)
reveal_type(out)
small = Net("slim", num_classes=7)
logits = small(torch.randn(6, 3, 64, 64))
reveal_type(logits)
weights = torch.tensor([1.0] * 6 + [2.0])
loss = nn.CrossEntropyLoss(weight=weights)(logits, torch.randint(7, (6,)))  #! torch.randint(7, (6,)) => torch.randint(7, (7,))
loss.backward()

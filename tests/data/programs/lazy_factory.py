"""A factory of backbones with lazy layers, dry runs, feature extraction, and a fusion head."""
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
from torchvision.models.feature_extraction import create_feature_extractor


class LazyNet(nn.Module):
    def __init__(self, widths, classes):
        super().__init__()
        self.features = nn.Sequential()
        for i, w in enumerate(widths):
            self.features.append(nn.LazyConv2d(w, 3, padding=1))
            self.features.append(nn.LazyBatchNorm2d())
            self.features.append(nn.ReLU())
            if i % 2:
                self.features.append(nn.MaxPool2d(2))
        self.fc = nn.LazyLinear(classes)

    def forward(self, x):
        return self.fc(torch.flatten(self.features(x), 1))


net = LazyNet([8, 16, 24, 32], 6)
with torch.no_grad():
    net(torch.zeros(2, 3, 32, 32))  #! 3, 32, 32 => 1, 32, 32
reveal_type(net.fc.weight)
reveal_type(net.features[0].weight)
clone = LazyNet([8, 16, 24, 32], 6)
clone(torch.zeros(2, 3, 32, 32))
clone.load_state_dict(net.state_dict())
logits = net(torch.rand(4, 3, 32, 32))
reveal_type(logits)
probe = net(torch.rand(2, 3, 32, 32))  #! 32, 32 => 48, 48
shape = net.features(torch.rand(1, 3, 32, 32)).shape[1:]
head = nn.Linear(shape.numel(), 2)  #! shape.numel() => shape[0]
binary = head(net.features(torch.rand(5, 3, 32, 32)).flatten(1))
reveal_type(binary)
loss = F.binary_cross_entropy_with_logits(binary[:, 0], torch.ones(5))  #! torch.ones(5) => torch.ones(5, 1)

resnet = torchvision.models.resnet18(weights=None)
resnet.conv1 = nn.Conv2d(1, 64, kernel_size=7, stride=2, padding=3, bias=False)
resnet.fc = nn.Linear(resnet.fc.in_features, 12)
body = create_feature_extractor(resnet, return_nodes={"layer1": "low", "layer3": "mid", "avgpool": "top"})
feats = body(torch.rand(2, 1, 96, 96))  #! 2, 1, 96, 96 => 2, 3, 96, 96
reveal_type(feats["low"])
reveal_type(feats["mid"])
reveal_type(feats["top"])


class Fusion(nn.Module):
    def __init__(self, body, channels, dim=32, classes=12):
        super().__init__()
        self.body = body
        self.lateral = nn.ModuleDict({k: nn.Conv2d(c, dim, 1) for k, c in channels.items()})
        self.out = nn.Conv2d(dim * len(channels), classes, 1)  #! dim * len(channels) => dim

    def forward(self, x):
        maps = self.body(x)
        size = maps["low"].shape[-2:]
        up = [F.interpolate(self.lateral[k](maps[k]), size=size, mode="bilinear", align_corners=False) for k in self.lateral]
        y = self.out(torch.cat(up, dim=1))
        return F.interpolate(y, size=x.shape[-2:])


seg = Fusion(body, {"low": 64, "mid": 256})  #! "mid": 256 => "mid": 128
mask = seg(torch.rand(2, 1, 96, 96))
reveal_type(mask)
target = torch.randint(0, 12, (2, 96, 96))
ce = F.cross_entropy(mask, target)  #! mask, target => mask, target.unsqueeze(1)
inter = torch.stack([((mask.argmax(1) == c) & (target == c)).sum() for c in range(12)])
union = torch.stack([((mask.argmax(1) == c) | (target == c)).sum() for c in range(12)])
miou = (inter / union.clamp(min=1)).mean()
reveal_type(inter)

children = list(torchvision.models.mobilenet_v3_small(weights=None).children())[:-1]
trunk = nn.Sequential(*children, nn.Flatten(), nn.Linear(576, 20))  #! nn.Linear(576, 20) => nn.Linear(1024, 20)
reveal_type(trunk(torch.rand(1, 3, 64, 64)))
vgg = torchvision.models.vgg11_bn(weights=None)
vgg.classifier[-1] = nn.Linear(vgg.classifier[-1].in_features, 5)  #! vgg.classifier[-1].in_features => 512
reveal_type(vgg(torch.rand(1, 3, 224, 224)))
layers, x = {}, torch.rand(1, 3, 64, 64)
for name, layer in vgg.features.named_children():
    x = layer(x)
    if isinstance(layer, nn.MaxPool2d):
        layers[name] = x
reveal_type(list(layers.values())[-1])
grams = [torch.einsum("bchw,bdhw->bcd", f, f) / f[0].numel() for f in layers.values()]
reveal_type(grams[1])

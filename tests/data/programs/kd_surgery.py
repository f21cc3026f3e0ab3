"""Distillation from a wide ResNet into a narrow one with feature hooks; first the state dict is cut to one input channel and a new head."""
import io
import re
from collections import OrderedDict
from contextlib import contextmanager
import torch
import torch.nn as nn
import torch.nn.functional as F
from torchvision.models import resnet18, mobilenet_v3_small
from torchvision.models.feature_extraction import create_feature_extractor


def inflate(state, in_channels, num_classes):
    """Adapts a checkpoint: sums the first convolution over colours and drops the head."""
    new = OrderedDict()
    for k, v in state.items():
        k = re.sub(r"^module\.", "", k)
        if k == "conv1.weight":
            v = v.sum(dim=1, keepdim=True).repeat(1, in_channels, 1, 1) / in_channels  #! .repeat(1, in_channels, 1, 1) => .repeat(in_channels, 1, 1, 1)
        if k.startswith("fc."):
            continue
        new[k] = v
    return new


def build_teacher(checkpoint, in_channels=1, num_classes=6):
    net = resnet18(num_classes=num_classes)
    net.conv1 = nn.Conv2d(in_channels, 64, kernel_size=7, stride=2, padding=3, bias=False)  #! nn.Conv2d(in_channels, => nn.Conv2d(3,
    net.fc = nn.Sequential(nn.Dropout(0.2), nn.Linear(net.fc.in_features, num_classes))  #! net.fc.in_features => net.fc.out_features
    missing, unexpected = net.load_state_dict(inflate(checkpoint, in_channels, num_classes), strict=False)
    assert not unexpected
    return net


class Student(nn.Module):
    def __init__(self, num_classes, width=16):
        super().__init__()

        def block(i, o, stride):
            return nn.Sequential(nn.Conv2d(i, i, 3, stride, 1, groups=i, bias=False), nn.Conv2d(i, o, 1, bias=False), nn.BatchNorm2d(o), nn.ReLU6(True))

        self.stem = nn.Sequential(nn.Conv2d(1, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU6(True), nn.MaxPool2d(2))
        self.block1 = block(width, width * 2, 1)
        self.block2 = block(width * 2, width * 4, 2)  #! width * 2, width * 4 => width, width * 4
        self.block3 = block(width * 4, width * 8, 2)
        self.head = nn.Linear(width * 8, num_classes)

    def forward(self, x):
        x = self.block3(self.block2(self.block1(self.stem(x))))
        return self.head(x.mean([2, 3]))  #! x.mean([2, 3]) => x.mean([1, 2])


class Taps:
    def __init__(self, model, names):
        self.out = {}
        self.handles = []
        modules = dict(model.named_modules())
        for n in names:
            self.handles.append(modules[n].register_forward_hook(self.make(n)))

    def make(self, name):
        def hook(module, inputs, output):
            self.out[name] = output
        return hook

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for h in self.handles:
            h.remove()


class Distiller(nn.Module):
    pairs = {"layer1": "block1", "layer2": "block2", "layer3": "block3"}

    def __init__(self, teacher, student, T=4.0, alpha=0.7, beta=0.1):
        super().__init__()
        self.teacher, self.student = teacher.eval().requires_grad_(False), student
        self.T, self.alpha, self.beta = T, alpha, beta
        t_ch = {"layer1": 64, "layer2": 128, "layer3": 256}
        s_ch = {"block1": 32, "block2": 64, "block3": 128}
        self.adapt = nn.ModuleDict({s: nn.Conv2d(s_ch[s], t_ch[t], 1) for t, s in self.pairs.items()})  #! nn.Conv2d(s_ch[s], t_ch[t], 1) => nn.Conv2d(t_ch[t], s_ch[s], 1)

    def forward(self, x, y):
        with Taps(self.teacher, self.pairs.keys()) as t, Taps(self.student, self.pairs.values()) as s:
            with torch.no_grad():
                t_logits = self.teacher(x)
            s_logits = self.student(x)
            feature = 0.0
            for a, b in self.pairs.items():
                f = self.adapt[b](s.out[b])
                feature = feature + F.mse_loss(F.normalize(f, dim=1), F.normalize(t.out[a], dim=1))
                at_t, at_s = t.out[a].pow(2).mean(1).flatten(1), f.pow(2).mean(1).flatten(1)
                feature = feature + (F.normalize(at_t) - F.normalize(at_s)).pow(2).mean()  #! F.normalize(at_s) => F.normalize(f)
        soft = F.kl_div(F.log_softmax(s_logits / self.T, 1), F.softmax(t_logits / self.T, 1), reduction="batchmean") * self.T ** 2
        hard = F.cross_entropy(s_logits, y)
        return self.alpha * soft + (1 - self.alpha) * hard + self.beta * feature, s_logits


@contextmanager
def frozen_bn(model):
    bns = [m for m in model.modules() if isinstance(m, nn.BatchNorm2d)]
    modes = [m.training for m in bns]
    for m in bns:
        m.eval()
    try:
        yield model
    finally:
        for m, mode in zip(bns, modes):
            m.train(mode)


source = resnet18(weights=None)
blob = io.BytesIO()
torch.save({"state_dict": {"module." + k: v for k, v in source.state_dict().items()}, "epoch": 3}, blob)
blob.seek(0)
checkpoint = torch.load(blob, map_location="cpu")
teacher = build_teacher(checkpoint["state_dict"])
reveal_type(teacher.conv1.weight)
student = Student(6)
distiller = Distiller(teacher, student)
opt = torch.optim.SGD(distiller.parameters(), 0.05)
x, y = torch.randn(4, 1, 96, 96), torch.randint(0, 6, (4,))  #! torch.randint(0, 6, (4,)) => torch.randint(0, 6, (4, 1))
for _ in range(2):
    loss, logits = distiller(x, y)
    opt.zero_grad()
    loss.backward()
    opt.step()
reveal_type(logits)
with frozen_bn(student):
    single = student(x[:1])
reveal_type(single)
extractor = create_feature_extractor(resnet18(), return_nodes={"layer2.1.relu_1": "mid", "avgpool": "pooled"})
feats = extractor(torch.randn(2, 3, 64, 64))
reveal_type(feats["mid"])
reveal_type(feats["pooled"])
mobile = mobilenet_v3_small(num_classes=5)
mobile.classifier[3] = nn.Linear(mobile.classifier[3].in_features, 11)  #! mobile.classifier[3].in_features => mobile.classifier[0].in_features
reveal_type(mobile(torch.randn(2, 3, 64, 64)))
reveal_type(mobile.features[:4](torch.randn(1, 3, 64, 64)))

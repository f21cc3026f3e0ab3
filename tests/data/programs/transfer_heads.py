"""Transfer learning with many backbones of torchvision: heads replaced, features cut off, multi-scale taps, Grad-CAM, a siamese regressor."""
import copy
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision
from torchvision import models, transforms
from torchvision.models import ResNet18_Weights, efficientnet_b0, convnext_tiny, mobilenet_v3_large
from PIL import Image, ImageDraw


def initialize_model(model_name, num_classes, feature_extract=True):
    """The usual switch of tutorials."""
    if model_name == "resnet":
        net = models.resnet34(weights=None)
        net.fc = nn.Linear(net.fc.in_features, num_classes)
    elif model_name == "densenet":
        net = models.densenet121()
        net.classifier = nn.Linear(net.classifier.in_features, num_classes)
    elif model_name == "mobilenet":
        net = mobilenet_v3_large()
        net.classifier[-1] = nn.Linear(net.classifier[-1].in_features, num_classes)  #! net.classifier[-1].in_features => net.classifier[0].in_features
    elif model_name == "efficientnet":
        net = efficientnet_b0()
        net.classifier = nn.Sequential(nn.Dropout(0.3), nn.Linear(1280, num_classes))  #! nn.Linear(1280, => nn.Linear(1024,
    elif model_name == "convnext":
        net = convnext_tiny()
        net.classifier[2] = nn.Linear(768, num_classes)  #! nn.Linear(768, => nn.Linear(512,
    elif model_name == "squeezenet":
        net = models.squeezenet1_0()
        net.classifier[1] = nn.Conv2d(512, num_classes, kernel_size=(1, 1), stride=(1, 1))
    elif model_name == "vit":
        net = models.vit_b_32(image_size=64)
        net.heads.head = nn.Linear(net.heads.head.in_features, num_classes)
    elif model_name == "vgg":
        net = models.vgg16()
        net.classifier[6] = nn.Linear(4096, num_classes)  #! nn.Linear(4096, => nn.Linear(25088,
    else:
        raise ValueError(model_name)
    if feature_extract:
        for name, p in net.named_parameters():
            if not any(k in name for k in ("fc", "classifier", "heads")):
                p.requires_grad = False
    return net


class ImageRegressor(nn.Module):
    """Truncated trunk with a decoder on top."""

    def __init__(self, kind="mobilenet_v2"):
        super().__init__()
        if kind == "mobilenet_v2":
            self.trunk, width = models.mobilenet_v2().features[:14], 96  #! features[:14], 96 => features[:14], 64
        elif kind == "resnet":
            full = models.resnet18(weights=None)
            self.trunk, width = nn.Sequential(*list(full.children())[:-3]), 256  #! [:-3]), 256 => [:-3]), 512
        else:
            self.trunk, width = models.vgg11_bn().features[:-1], 512
        self.up = nn.Sequential(nn.Conv2d(width, 32, 1), nn.ReLU(), nn.Upsample(scale_factor=4, mode="bilinear"), nn.Conv2d(32, 1, 3, padding=1))

    def forward(self, x):
        return self.up(self.trunk(x))


class Taps(nn.Module):
    def __init__(self, names=("layer1", "layer2", "layer3"), dim=16):
        super().__init__()
        self.body = torchvision.models._utils.IntermediateLayerGetter(models.resnet50(), {n: n for n in names})
        widths = [256, 512, 1024]
        self.lateral = nn.ModuleDict({n: nn.Conv2d(w, dim, 1) for n, w in zip(names, widths)})  #! zip(names, widths) => zip(names, widths[::-1])

    def forward(self, x):
        outs = self.body(x)
        size = outs["layer1"].shape[-2:]
        return torch.cat([F.interpolate(self.lateral[n](f), size=size) for n, f in outs.items()], dim=1)


class GradCAM:
    def __init__(self, model, layer):
        self.model = model
        layer.register_forward_hook(lambda m, i, o: setattr(self, "activation", o))
        layer.register_full_backward_hook(lambda m, gi, go: setattr(self, "gradient", go[0]))

    def __call__(self, x, index):
        logits = self.model(x)
        logits[torch.arange(len(x)), index].sum().backward()
        weights = self.gradient.mean(dim=(2, 3), keepdim=True)
        cam = F.relu((weights * self.activation).sum(1, keepdim=True))
        return F.interpolate(cam, x.shape[2:], mode="bilinear", align_corners=False), logits


def picture(seed):
    im = Image.new("RGB", (90, 80), (seed * 40 % 255, 80, 120))
    pen = ImageDraw.Draw(im)
    pen.ellipse([20, 20, 60, 60], fill=(255, 0, 0))
    return im


tf = transforms.Compose([transforms.Resize(72), transforms.CenterCrop(64), transforms.ToTensor(), transforms.Normalize(mean=[0.5] * 3, std=[0.25] * 3)])  #! mean=[0.5] * 3 => mean=[0.5] * 2
batch = torch.stack([tf(picture(i)) for i in range(3)])
reveal_type(batch)
for name in ("resnet", "densenet", "mobilenet", "efficientnet", "convnext", "squeezenet", "vit", "vgg"):
    net = initialize_model(name, 4)
    out = net(batch)
    reveal_type(out)
params = [p for p in net.parameters() if p.requires_grad]
optimizer = torch.optim.SGD(params, lr=0.001, momentum=0.9)
loss = F.cross_entropy(out, torch.tensor([0, 1, 2]))  #! torch.tensor([0, 1, 2]) => torch.tensor([[0, 1, 2]])
loss.backward()
optimizer.step()
for kind in ("mobilenet_v2", "resnet", "vgg"):
    density = ImageRegressor(kind)(batch)
    reveal_type(density)
taps = Taps()
reveal_type(taps(batch))
resnet = models.resnet18(num_classes=7)
cam, logits = GradCAM(resnet, resnet.layer4[-1])(batch, torch.tensor([1, 2, 3]))  #! torch.tensor([1, 2, 3])) => torch.tensor([1, 2]))
reveal_type(cam)
mnv3 = models.mobilenet_v3_small()
reveal_type(mnv3.features[:9](batch))
dense = models.densenet121().features
reveal_type(dense.transition1(dense.denseblock1(torch.randn(1, 64, 16, 16))))  #! torch.randn(1, 64, 16, 16) => torch.randn(1, 32, 16, 16)
stages = [m for m in models.efficientnet_b2().features]
x = batch
for stage in stages[:4]:
    x = stage(x)
reveal_type(x)
reveal_type(resnet.layer3[0].conv1.weight)

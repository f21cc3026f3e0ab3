"""Activations and gradients through hooks: Grad-CAM, extraction of features, pruning by masks, counts of operations."""
from collections import OrderedDict, defaultdict
from contextlib import contextmanager
from functools import partial

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torchvision.models import resnet18


class SmallVGG(nn.Module):
    cfg = [16, "M", 32, 32, "M", 64, "M"]

    def __init__(self, num_classes=10, batch_norm=True):
        super().__init__()
        layers, c = [], 3
        for v in self.cfg:
            if v == "M":
                layers.append(nn.MaxPool2d(2))
            else:
                layers += [nn.Conv2d(c, v, 3, padding=1)] + ([nn.BatchNorm2d(v)] if batch_norm else []) + [nn.ReLU()]
                c = v
        self.features = nn.Sequential(*layers)
        self.avgpool = nn.AdaptiveAvgPool2d((2, 2))
        self.classifier = nn.Sequential(OrderedDict([("fc1", nn.Linear(c * 4, 32)), ("relu", nn.ReLU()), ("fc2", nn.Linear(32, num_classes))]))  #! c * 4, 32 => c * 2, 32

    def forward(self, x):
        x = self.avgpool(self.features(x))
        return self.classifier(torch.flatten(x, 1))


class GradCAM:
    def __init__(self, model, layer):
        self.model, self.activations, self.gradients = model, None, None
        self.handles = [layer.register_forward_hook(self._forward), layer.register_full_backward_hook(self._backward)]

    def _forward(self, module, inputs, output):
        self.activations = output.detach()

    def _backward(self, module, grad_input, grad_output):
        self.gradients = grad_output[0].detach()

    def __call__(self, x, index=None):
        logits = self.model(x)
        if index is None:
            index = logits.argmax(dim=1)
        self.model.zero_grad()
        logits.gather(1, index.view(-1, 1)).sum().backward()
        weights = self.gradients.mean(dim=(2, 3), keepdim=True)  #! keepdim=True => keepdim=False
        cam = F.relu((weights * self.activations).sum(dim=1, keepdim=True))
        cam = F.interpolate(cam, size=x.shape[2:], mode="bilinear", align_corners=False)
        low, high = cam.amin((2, 3), keepdim=True), cam.amax((2, 3), keepdim=True)
        return ((cam - low) / (high - low + 1e-8)).squeeze(1)

    def __enter__(self):
        return self

    def __exit__(self, *exc):
        for handle in self.handles:
            handle.remove()


class FeatureExtractor(nn.Module):
    def __init__(self, model, layers):
        super().__init__()
        self.model, self.layers = model, layers
        self._features = {layer: torch.empty(0) for layer in layers}
        for layer_id in layers:
            layer = dict([*self.model.named_modules()])[layer_id]
            layer.register_forward_hook(self.save_outputs_hook(layer_id))

    def save_outputs_hook(self, layer_id):
        def fn(_, __, output):
            self._features[layer_id] = output

        return fn

    def forward(self, x):
        _ = self.model(x)
        return self._features


@contextmanager
def record_shapes(model):
    shapes, handles = defaultdict(list), []

    def hook(name, module, args, output):
        shapes[name].append((tuple(args[0].shape), tuple(output.shape)))

    for name, module in model.named_modules():
        if not list(module.children()):
            handles.append(module.register_forward_hook(partial(hook, name)))
    try:
        yield shapes
    finally:
        for handle in handles:
            handle.remove()


class Normalize:
    """A pre-hook that replaces the input."""

    def __init__(self, mean, std):
        self.mean, self.std = torch.tensor(mean).view(1, -1, 1, 1), torch.tensor(std).view(1, -1, 1, 1)  #! .view(1, -1, 1, 1), torch.tensor(std) => .view(1, 1, -1, 1), torch.tensor(std)

    def __call__(self, module, args):
        (x,) = args
        return ((x - self.mean) / self.std,)


def append_coordinates(module, args, kwargs):
    x = args[0]
    n, _, h, w = x.shape
    ys, xs = torch.meshgrid(torch.linspace(-1, 1, h), torch.linspace(-1, 1, w), indexing="ij")
    return (torch.cat([x, torch.stack([ys, xs]).expand(n, -1, -1, -1)], dim=1),), kwargs


def main():
    torch.manual_seed(0)
    model = SmallVGG()
    model.register_forward_pre_hook(Normalize([0.5, 0.5, 0.5], [0.2, 0.2, 0.2]))
    x = torch.rand(4, 3, 32, 32)
    with GradCAM(model, model.features[-2]) as cam:
        maps = cam(x)
    reveal_type(maps)
    reveal_type(cam.gradients)
    with record_shapes(model) as shapes:
        model(x[:2])
    (before, after), = shapes["classifier.fc1"]
    fresh = torch.zeros(after)
    reveal_type(fresh)
    backbone = resnet18(num_classes=7)
    extractor = FeatureExtractor(backbone, ["layer2", "layer3", "avgpool"])
    features = extractor(x)
    reveal_type(features["layer3"])
    pooled = features["avgpool"].flatten(1)
    probe = nn.Linear(512, 3)  #! 512, 3 => 256, 3
    reveal_type(probe(pooled))
    masks = {}
    for name, p in model.named_parameters():
        if name.endswith("weight") and p.dim() == 4:
            threshold = p.detach().abs().flatten().kthvalue(p.numel() // 2).values
            masks[name] = (p.abs() > threshold).float()
            p.register_hook(lambda grad, m=masks[name]: grad * m)
            p.data.mul_(masks[name])
    model(x).sum().backward()
    reveal_type(masks["features.3.weight"] if "features.3.weight" in masks else masks["features.4.weight"])
    stem = nn.Sequential(nn.Conv2d(5, 8, 3), nn.ReLU())
    stem.register_forward_pre_hook(append_coordinates, with_kwargs=True)
    stem.register_forward_hook(lambda m, args, out: out.mean((2, 3)))
    reveal_type(stem(x))
    head = nn.Linear(8, 2)
    reveal_type(head(stem(x)))  #! head(stem(x)) => head(stem[0](x))


if __name__ == "__main__":
    main()

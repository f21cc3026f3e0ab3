"""Structured pruning by batch-norm scales: masks are chosen, a slimmer network is built from a configuration, weights are copied over; then layers are fused."""
import copy
from collections import OrderedDict

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F

defaultcfg = {11: [16, "M", 32, "M", 48, 48, "M"], 13: [16, 16, "M", 32, 32, "M", 48, 48, "M"]}


class VGG(nn.Module):
    def __init__(self, num_classes=10, depth=13, init_weights=True, cfg=None):
        super(VGG, self).__init__()
        if cfg is None:
            cfg = defaultcfg[depth]
        self.cfg = cfg
        self.feature = self.make_layers(cfg, True)
        self.classifier = nn.Linear(cfg[-2], num_classes)  #! cfg[-2] => cfg[-3]
        if init_weights:
            self._initialize_weights()

    def make_layers(self, cfg, batch_norm=False):
        layers = []
        in_channels = 3
        for v in cfg:
            if v == "M":
                layers += [nn.MaxPool2d(kernel_size=2, stride=2)]
            else:
                conv2d = nn.Conv2d(in_channels, v, kernel_size=3, padding=1, bias=False)
                if batch_norm:
                    layers += [conv2d, nn.BatchNorm2d(v), nn.ReLU(inplace=True)]
                else:
                    layers += [conv2d, nn.ReLU(inplace=True)]
                in_channels = v  #! in_channels = v => in_channels = cfg[0]
        return nn.Sequential(*layers)

    def forward(self, x):
        x = self.feature(x)
        x = nn.AvgPool2d(2)(x)
        x = x.view(x.size(0), -1)  #! x.view(x.size(0), -1) => x.view(-1, x.size(0))
        return self.classifier(x)

    def _initialize_weights(self):
        for m in self.modules():
            if isinstance(m, nn.BatchNorm2d):
                m.weight.data.uniform_(0, 1)
                m.bias.data.zero_()
            elif isinstance(m, nn.Linear):
                m.weight.data.normal_(0, 0.01)


def threshold_of(model, percent):
    total = sum(m.weight.data.shape[0] for m in model.modules() if isinstance(m, nn.BatchNorm2d))
    bn = torch.zeros(total)
    index = 0
    for m in model.modules():
        if isinstance(m, nn.BatchNorm2d):
            size = m.weight.data.shape[0]
            bn[index : (index + size)] = m.weight.data.abs().clone()  #! bn[index : (index + size)] => bn[index:size]
            index += size
    y, _ = torch.sort(bn)
    return y[int(total * percent)]


def choose(model, ratio=0.5):
    """The same share of channels of each layer."""
    cfg, masks = [], []
    for m in model.modules():
        if isinstance(m, nn.BatchNorm2d):
            keep = int(m.num_features * ratio)
            order = m.weight.data.abs().argsort(descending=True)
            mask = torch.zeros(m.num_features)
            mask[order[:keep]] = 1.0
            cfg.append(keep)
            masks.append(mask)
        elif isinstance(m, nn.MaxPool2d):
            cfg.append("M")
    return cfg, masks


def fuse(conv, bn):
    fused = nn.Conv2d(conv.in_channels, conv.out_channels, conv.kernel_size, conv.stride, conv.padding, bias=True)
    with torch.no_grad():
        w_conv = conv.weight.clone().view(conv.out_channels, -1)
        w_bn = torch.diag(bn.weight.div(torch.sqrt(bn.eps + bn.running_var)))
        fused.weight.copy_(torch.mm(w_bn, w_conv).view(fused.weight.size()))  #! torch.mm(w_bn, w_conv) => torch.mm(w_conv, w_bn)
        b_conv = torch.zeros(conv.weight.size(0))  #! conv.weight.size(0) => conv.weight.size(1)
        b_bn = bn.bias - bn.weight.mul(bn.running_mean).div(torch.sqrt(bn.running_var + bn.eps))
        fused.bias.copy_(torch.mm(w_bn, b_conv.reshape(-1, 1)).reshape(-1) + b_bn)  #! b_conv.reshape(-1, 1) => b_conv
    return fused


def fused_network(model):
    layers, children = OrderedDict(), list(model.feature.named_children())
    i = 0
    while i < len(children):
        name, layer = children[i]
        if isinstance(layer, nn.Conv2d) and i + 1 < len(children) and isinstance(children[i + 1][1], nn.BatchNorm2d):
            layers[name] = fuse(layer, children[i + 1][1])
            i += 2
        else:
            layers[name] = layer
            i += 1
    fused = copy.deepcopy(model)
    fused.feature = nn.Sequential(layers)
    return fused


model = VGG(depth=13)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9, weight_decay=1e-4)
for step in range(2):
    data, target = torch.randn(4, 3, 16, 16), torch.randint(0, 10, (4,))
    optimizer.zero_grad()
    loss = F.cross_entropy(model(data), target)
    loss.backward()
    for m in model.modules():
        if isinstance(m, nn.BatchNorm2d):
            m.weight.grad.data.add_(1e-4 * torch.sign(m.weight.data))
    optimizer.step()
reveal_type(threshold_of(model, 0.3))
cfg, masks = choose(model)
slim = VGG(cfg=cfg)
start_mask = torch.ones(3)
layer_id, end_mask = 0, masks[0]
for m0, m1 in zip(model.modules(), slim.modules()):
    if isinstance(m0, nn.BatchNorm2d):
        keep = int(end_mask.sum())
        idx1 = end_mask.argsort(descending=True)[: m1.num_features]
        m1.weight.data = m0.weight.data[idx1].clone()
        m1.running_mean = m0.running_mean[idx1].clone()
        m1.running_var = m0.running_var[idx1].clone()
        layer_id += 1
        start_mask = end_mask
        if layer_id < len(masks):
            end_mask = masks[layer_id]
    elif isinstance(m0, nn.Conv2d):
        idx0 = start_mask.argsort(descending=True)[: m1.in_channels]
        idx1 = end_mask.argsort(descending=True)[: m1.out_channels]
        w = m0.weight.data[:, idx0, :, :].clone()  #! [:, idx0, :, :] => [idx0, :, :, :]
        m1.weight.data.copy_(w[idx1, :, :, :])
    elif isinstance(m0, nn.Linear):
        idx0 = start_mask.argsort(descending=True)[: m1.in_features]
        m1.weight.data.copy_(m0.weight.data[:, idx0])  #! m0.weight.data[:, idx0] => m0.weight.data
out = slim(data)
reveal_type(out)
reveal_type(slim.feature[3].weight)
fused = fused_network(slim.eval())
reveal_type(fused(data))
print(float((fused(data) - slim(data)).abs().max()))

"""Neural style transfer: feature extraction by hooks, Gram matrices, an image optimised by L-BFGS, and a feed-forward transformer net."""
import collections
from typing import Dict, Iterable

import torch
import torch.nn as nn
import torch.nn.functional as F


def tiny_vgg():
    layers, c = [], 3
    for block, width in enumerate((16, 32, 64)):
        for i in range(2):
            layers.append((f"conv{block + 1}_{i + 1}", nn.Conv2d(c, width, 3, padding=1)))
            layers.append((f"relu{block + 1}_{i + 1}", nn.ReLU(inplace=False)))
            c = width
        layers.append((f"pool{block + 1}", nn.AvgPool2d(2)))
    return nn.Sequential(collections.OrderedDict(layers))


class Normalize(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.register_buffer("mean", torch.tensor(mean).view(-1, 1, 1))  #! view(-1, 1, 1) => view(1, 1, -1)
        self.register_buffer("std", torch.tensor(std).view(-1, 1, 1))

    def forward(self, img):
        return (img - self.mean) / self.std


class Features(nn.Module):
    def __init__(self, model: nn.Module, layers: Iterable[str]):
        super().__init__()
        self.model = model
        self.layers = list(layers)
        self._features = {layer: torch.empty(0) for layer in self.layers}
        for layer_id in self.layers:
            layer = dict([*self.model.named_modules()])[layer_id]
            layer.register_forward_hook(self.save_outputs_hook(layer_id))

    def save_outputs_hook(self, layer_id: str):
        def fn(_, __, output):
            self._features[layer_id] = output

        return fn

    def forward(self, x) -> Dict[str, torch.Tensor]:
        self.model(x)
        return dict(self._features)


def gram_matrix(y):
    (b, ch, h, w) = y.size()
    features = y.view(b, ch, w * h)  #! y.view(b, ch, w * h) => y.view(b, ch * w, h)
    features_t = features.transpose(1, 2)  #! features.transpose(1, 2) => features.transpose(0, 1)
    return features.bmm(features_t) / (ch * h * w)


class ConvLayer(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride):
        super().__init__()
        self.reflection_pad = nn.ReflectionPad2d(kernel_size // 2)
        self.conv2d = nn.Conv2d(in_channels, out_channels, kernel_size, stride)

    def forward(self, x):
        return self.conv2d(self.reflection_pad(x))


class UpsampleConv(ConvLayer):
    def __init__(self, *args, upsample=None):
        super().__init__(*args)
        self.upsample = upsample

    def forward(self, x):
        if self.upsample:
            x = F.interpolate(x, mode="nearest", scale_factor=self.upsample)
        return super().forward(x)


class ConditionalNorm(nn.Module):
    """Instance normalisation whose scales belong to a style."""

    def __init__(self, channels, styles):
        super().__init__()
        self.norm = nn.InstanceNorm2d(channels)
        self.table = nn.Embedding(styles, 2 * channels)  #! 2 * channels => channels
        self.table.weight.data[:, :channels].fill_(1.0)
        self.table.weight.data[:, channels:].zero_()

    def forward(self, x, style):
        gamma, beta = self.table(style)[..., None, None].chunk(2, 1)
        return gamma * self.norm(x) + beta


class TransformerNet(nn.Module):
    def __init__(self, styles=3, width=8):
        super().__init__()
        self.down = nn.ModuleList([ConvLayer(3, width, 9, 1), ConvLayer(width, 2 * width, 3, 2), ConvLayer(2 * width, 4 * width, 3, 2)])
        self.down_norms = nn.ModuleList(ConditionalNorm(c, styles) for c in (width, 2 * width, 4 * width))  #! (width, 2 * width, 4 * width) => (width, 2 * width, 2 * width)
        self.res = nn.ModuleList(ConvLayer(4 * width, 4 * width, 3, 1) for _ in range(2))
        self.up = nn.ModuleList([UpsampleConv(4 * width, 2 * width, 3, 1, upsample=2), UpsampleConv(2 * width, width, 3, 1, upsample=2)])  #! upsample=2), UpsampleConv( => upsample=None), UpsampleConv(
        self.up_norms = nn.ModuleList(ConditionalNorm(c, styles) for c in (2 * width, width))
        self.out = ConvLayer(width, 3, 9, 1)

    def forward(self, x, style):
        for conv, norm in zip(self.down, self.down_norms):
            x = F.relu(norm(conv(x), style))
        for conv in self.res:
            x = x + conv(x)
        for conv, norm in zip(self.up, self.up_norms):
            x = F.relu(norm(conv(x), style))  #! norm(conv(x), style) => norm(x, style)
        return torch.sigmoid(self.out(x))


STYLE_LAYERS = {"relu1_1": 1.0, "relu2_1": 0.75, "relu3_1": 0.5}
CONTENT_LAYERS = ["relu2_2"]
backbone = nn.Sequential(collections.OrderedDict(norm=Normalize([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]), vgg=tiny_vgg()))
extract = Features(backbone, [f"vgg.{name}" for name in list(STYLE_LAYERS) + CONTENT_LAYERS])
extract.requires_grad_(False)
style_images = torch.rand(3, 3, 32, 32)
grams = {k: gram_matrix(v) for k, v in extract(style_images).items() if k.split(".")[1] in STYLE_LAYERS}
reveal_type(grams["vgg.relu3_1"])

content = torch.rand(1, 3, 32, 32)
wanted = extract(content)["vgg.relu2_2"].detach()
image = content.clone().requires_grad_(True)
optimizer = torch.optim.LBFGS([image], max_iter=2)
run = [0]
while run[0] <= 2:
    def closure():
        optimizer.zero_grad()
        with torch.no_grad():
            image.clamp_(0, 1)
        features = extract(image)
        style_loss = sum(w * F.mse_loss(gram_matrix(features[f"vgg.{k}"]), grams[f"vgg.{k}"][:1]) for k, w in STYLE_LAYERS.items())
        content_loss = F.mse_loss(features["vgg.relu2_2"], wanted)
        loss = 1e5 * style_loss + content_loss
        loss.backward()
        run[0] += 1
        return loss

    optimizer.step(closure)

net = TransformerNet()
adam = torch.optim.Adam(net.parameters(), 1e-3)
for batch_id in range(2):
    x, style = torch.rand(2, 3, 32, 32), torch.randint(0, 3, (2,))
    adam.zero_grad()
    y = net(x, style)
    reveal_type(y)
    features_y, features_x = extract(y), extract(x)
    content_loss = F.mse_loss(features_y["vgg.relu2_2"], features_x["vgg.relu2_2"])
    style_loss = 0.0
    for name, gram in grams.items():
        style_loss += F.mse_loss(gram_matrix(features_y[name]), gram[style])  #! gram[style] => gram[style[0]].t().flatten()
    (content_loss + style_loss).backward()
    adam.step()
reveal_type(features_y["vgg.relu2_2"])

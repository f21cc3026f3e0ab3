"""Neural style: losses inserted into a pretrained stack of layers, and an adaptive instance normalisation net."""
import copy
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision.models as models
import torchvision.transforms.functional as TF


def gram_matrix(input):
    a, b, c, d = input.size()
    features = input.view(a * b, c * d)
    G = torch.mm(features, features.t())  #! features.t() => features
    return G.div(a * b * c * d)


class ContentLoss(nn.Module):
    def __init__(self, target):
        super().__init__()
        self.target = target.detach()

    def forward(self, input):
        self.loss = F.mse_loss(input, self.target)
        return input


class StyleLoss(nn.Module):
    def __init__(self, target_feature):
        super().__init__()
        self.target = gram_matrix(target_feature).detach()

    def forward(self, input):
        G = gram_matrix(input)
        self.loss = F.mse_loss(G, self.target)
        return input


class Normalization(nn.Module):
    def __init__(self, mean, std):
        super().__init__()
        self.mean = torch.tensor(mean).view(-1, 1, 1)  #! .view(-1, 1, 1) =>
        self.std = torch.tensor(std).view(-1, 1, 1)

    def forward(self, img):
        return (img - self.mean) / self.std


def get_model_and_losses(cnn, style_img, content_img, content_layers=("conv_4",), style_layers=("conv_1", "conv_2", "conv_3")):
    model = nn.Sequential(Normalization([0.485, 0.456, 0.406], [0.229, 0.224, 0.225]))
    content_losses, style_losses = [], []
    i = 0
    for layer in cnn.children():
        if isinstance(layer, nn.Conv2d):
            i += 1
            name = "conv_{}".format(i)
        elif isinstance(layer, nn.ReLU):
            name = "relu_{}".format(i)
            layer = nn.ReLU(inplace=False)
        elif isinstance(layer, nn.MaxPool2d):
            name = "pool_{}".format(i)
        else:
            raise RuntimeError("Unrecognized layer: {}".format(layer.__class__.__name__))
        model.add_module(name, layer)
        if name in content_layers:
            target = model(content_img).detach()
            content_loss = ContentLoss(target)
            model.add_module("content_loss_{}".format(i), content_loss)
            content_losses.append(content_loss)
        if name in style_layers:
            target_feature = model(style_img).detach()
            style_loss = StyleLoss(target_feature)
            model.add_module("style_loss_{}".format(i), style_loss)
            style_losses.append(style_loss)
    for i in range(len(model) - 1, -1, -1):
        if isinstance(model[i], ContentLoss) or isinstance(model[i], StyleLoss):
            break
    return model[: (i + 1)], style_losses, content_losses


def run_style_transfer(cnn, content_img, style_img, input_img, num_steps=3):
    model, style_losses, content_losses = get_model_and_losses(cnn, style_img, content_img)
    input_img.requires_grad_(True)
    optimizer = torch.optim.LBFGS([input_img], max_iter=2)
    run = [0]
    while run[0] <= num_steps:
        def closure():
            with torch.no_grad():
                input_img.clamp_(0, 1)
            optimizer.zero_grad()
            model(input_img)
            style_score = sum(sl.loss for sl in style_losses)
            content_score = 0
            for cl in content_losses:
                content_score += cl.loss
            loss = style_score * 1e6 + content_score
            loss.backward()
            run[0] += 1
            return style_score + content_score
        optimizer.step(closure)
    return input_img


def calc_mean_std(feat, eps=1e-5):
    size = feat.size()
    assert len(size) == 4
    N, C = size[:2]
    feat_var = feat.view(N, C, -1).var(dim=2) + eps
    feat_std = feat_var.sqrt().view(N, C, 1, 1)  #! .view(N, C, 1, 1) =>
    feat_mean = feat.view(N, C, -1).mean(dim=2).view(N, C, 1, 1)
    return feat_mean, feat_std


def adain(content, style):
    size = content.size()
    style_mean, style_std = calc_mean_std(style)
    content_mean, content_std = calc_mean_std(content)
    normalized = (content - content_mean.expand(size)) / content_std.expand(size)
    return normalized * style_std.expand(size) + style_mean.expand(size)


vgg = models.vgg11(weights=None).features[:11].eval()  #! [:11] => [1:11]
content_img = torch.rand(1, 3, 64, 64)
style_img = TF.resize(torch.rand(1, 3, 100, 80), [64, 64])  #! [64, 64] => 64
image = run_style_transfer(copy.deepcopy(vgg), content_img, style_img, content_img.clone())  #! content_img.clone() => torch.rand(1, 3, 64, 48)
reveal_type(image)
fc, fs = vgg(content_img), vgg(style_img)
reveal_type(fc)
mixed = 0.5 * adain(fc, fs) + 0.5 * fc  #! adain(fc, fs) => adain(fc, fs[:, :64])
decoder = nn.Sequential(
    nn.ReflectionPad2d(1), nn.Conv2d(256, 64, 3), nn.ReLU(),  #! nn.Conv2d(256, 64, 3) => nn.Conv2d(128, 64, 3)
    nn.Upsample(scale_factor=4), nn.Conv2d(64, 12, 3, padding=1), nn.PixelShuffle(2),  #! nn.PixelShuffle(2) => nn.PixelShuffle(3)
)
img = decoder(mixed)
reveal_type(img)

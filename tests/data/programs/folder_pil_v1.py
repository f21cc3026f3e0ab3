"""Images drawn with PIL into class folders, read back with ImageFolder and v1 transforms, trained with a torchvision backbone, shown with make_grid."""
import os
import tempfile
from pathlib import Path
from PIL import Image, ImageDraw, ImageFilter, ImageOps, ImageEnhance
import numpy as np
import torch
from torch import nn, optim
from torchvision import transforms, models, utils, datasets
from torchvision.transforms import functional as TF

SHAPES = ["circle", "square", "triangle"]


def draw(kind, size=(70, 60), fill=(200, 30, 30)):
    im = Image.new("RGB", size, color=(255, 255, 255))
    pen = ImageDraw.Draw(im)
    if kind == "circle":
        pen.ellipse((10, 10, 50, 50), fill=fill)
    elif kind == "square":
        pen.rectangle([15, 15, 45, 45], fill=fill, outline="black")
    else:
        pen.polygon([(10, 50), (35, 10), (60, 50)], fill=fill)
    return im


def make_folder(root, per_class=8):
    rng = np.random.RandomState(0)
    for kind in SHAPES:
        folder = Path(root) / kind
        folder.mkdir(parents=True, exist_ok=True)
        for i in range(per_class):
            im = draw(kind, fill=tuple(int(c) for c in rng.randint(0, 200, size=3)))
            if i % 2:
                im = im.rotate(15, fillcolor=(255, 255, 255)).filter(ImageFilter.GaussianBlur(1))
            im.save(folder / f"{i:03d}.png")


class GrayWithEdges(object):
    """Three channels: grey, edges, inverted grey."""

    def __call__(self, img):
        gray = ImageOps.grayscale(img)
        edges = gray.filter(ImageFilter.FIND_EDGES)
        return Image.merge("RGB", (gray, edges, ImageOps.invert(gray)))  #! Image.merge("RGB", (gray, edges, ImageOps.invert(gray))) => Image.merge("LA", (gray, edges))


class AddNoise:
    def __init__(self, std): self.std = std

    def __call__(self, tensor): return tensor + torch.randn(tensor.size()) * self.std

    def __repr__(self): return f"{self.__class__.__name__}(std={self.std})"


train_tf = transforms.Compose([
    transforms.Resize(48),
    transforms.RandomApply([transforms.ColorJitter(brightness=0.2)], p=0.5),
    transforms.Lambda(lambda im: ImageEnhance.Contrast(im).enhance(1.2)),
    GrayWithEdges(),
    transforms.RandomCrop((40, 44)),
    transforms.ToTensor(),
    AddNoise(0.01),
    transforms.Normalize((0.5, 0.5, 0.5), (0.5, 0.5, 0.5)),  #! (0.5, 0.5, 0.5), (0.5, 0.5, 0.5) => (0.5, 0.5), (0.5, 0.5)
])
five_tf = transforms.Compose([transforms.Resize((48, 56)), transforms.FiveCrop(40), transforms.Lambda(lambda crops: torch.stack([transforms.ToTensor()(c) for c in crops]))])


class Head(nn.Module):
    def __init__(self, in_features, n):
        super().__init__()
        self.bn = nn.BatchNorm1d(in_features)
        self.fc = nn.Linear(in_features, n)

    def forward(self, x):
        return self.fc(self.bn(x))


def make_model(name="squeezenet1_1", n=3):
    if name == "squeezenet1_1":
        net = models.squeezenet1_1(weights=None)
        net.classifier[1] = nn.Conv2d(512, n, kernel_size=1)  #! nn.Conv2d(512, n => nn.Conv2d(256, n
        net.num_classes = n
    elif name == "vgg":
        net = models.vgg11_bn(weights=None, init_weights=False)
        net.avgpool = nn.AdaptiveAvgPool2d(1)
        net.classifier = nn.Sequential(nn.Linear(512, 32), nn.ReLU(), Head(32, n))  #! nn.Linear(512, 32) => nn.Linear(512 * 49, 32)
    elif name == "densenet":
        net = models.densenet121(weights=None)
        net.classifier = Head(net.classifier.in_features, n)
    else:
        net = models.shufflenet_v2_x0_5(weights=None)
        net.fc = nn.Linear(net.fc.in_features, n)
    return net


def train_model(model, dataloaders, criterion, optimizer, num_epochs=1):
    for epoch in range(num_epochs):
        for phase in ['train', 'val']:
            model.train() if phase == 'train' else model.eval()
            running_loss, running_corrects = 0.0, 0
            for inputs, labels in dataloaders[phase]:
                optimizer.zero_grad()
                with torch.set_grad_enabled(phase == 'train'):
                    if phase == 'val':
                        bs, ncrops, c, h, w = inputs.size()
                        outputs = model(inputs.view(-1, c, h, w)).view(bs, ncrops, -1).mean(1)  #! .view(-1, c, h, w) => .view(-1, ncrops, h, w)
                    else:
                        outputs = model(inputs)
                    _, preds = torch.max(outputs, 1)
                    loss = criterion(outputs, labels)
                    if phase == 'train':
                        loss.backward()
                        optimizer.step()
                running_loss += loss.item() * inputs.size(0)
                running_corrects += torch.sum(preds == labels.data)  #! preds == labels.data => outputs == labels.data
            epoch_acc = running_corrects.double() / len(dataloaders[phase].dataset)
            reveal_type(outputs)
    return model


with tempfile.TemporaryDirectory() as root:
    make_folder(root)
    full = datasets.ImageFolder(root, transform=train_tf)
    assert full.classes == sorted(SHAPES)
    crops = datasets.ImageFolder(root, transform=five_tf)
    loaders = {"train": torch.utils.data.DataLoader(full, batch_size=6, shuffle=True), "val": torch.utils.data.DataLoader(crops, batch_size=4)}
    images, labels = next(iter(loaders["train"]))
    reveal_type(images)
    grid = utils.make_grid(images, nrow=3, padding=2, normalize=True)
    reveal_type(grid)
    model = make_model()
    train_model(model, loaders, nn.CrossEntropyLoss(), optim.SGD(model.parameters(), lr=0.01))
    vgg = make_model("vgg")
    y = vgg(images[:, [2, 1, 0]])  #! images[:, [2, 1, 0]] => images[:, [2, 1]]
    reveal_type(y)

im = draw("circle")
arr = np.array(im)
reveal_type(arr)
boxed = TF.to_tensor(TF.resized_crop(im, 5, 5, 40, 50, [20, 25]))
reveal_type(boxed)
alpha = im.convert("RGBA")
alpha.putalpha(128)
t = TF.pil_to_tensor(alpha)
reveal_type(t)
rgb, a = t[:3], t[3:]
blended = rgb * (a / 255.0) + 255 * (1 - a / 255.0)  #! a / 255.0) + 255 => t[2:] / 255.0) + 255
reveal_type(TF.rotate(blended, 30, expand=False))
back = TF.to_pil_image(blended.to(torch.uint8))
padded = ImageOps.expand(back, border=3, fill=0)
reveal_type(np.asarray(padded))
mosaic = np.concatenate([np.asarray(padded), np.asarray(padded.transpose(Image.FLIP_LEFT_RIGHT))], axis=1)
reveal_type(mosaic)
stack = np.stack([np.asarray(draw(k).resize((32, 24))) for k in SHAPES])  #! draw(k).resize((32, 24)) => draw(k).resize((32, 24 + len(k)))
reveal_type(stack)
net = make_model("shuffle")
reveal_type(net(torch.from_numpy(stack).permute(0, 3, 1, 2).float() / 255))  #! .permute(0, 3, 1, 2) => .permute(0, 2, 1, 3)

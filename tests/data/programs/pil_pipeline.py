"""Pictures from files to a network: PIL by hand, NumPy, torchvision's transforms of both generations, and tiles put together again."""
import glob
import os
import tempfile

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
import torchvision.transforms.functional as TF
from PIL import Image, ImageDraw, ImageFilter, ImageOps
from torch.utils.data import DataLoader, Dataset
from torchvision import tv_tensors
from torchvision.transforms import v2


def draw(folder, count=7):
    for i in range(count):
        image = Image.new("RGB", (80 + 4 * i, 60), color=(i, 2 * i, 3 * i))
        ImageDraw.Draw(image).rectangle([10, 10, 30 + i, 40], fill=(255, 0, 0))
        image.save(os.path.join(folder, f"picture_{i}.png"))
        mask = Image.new("L", image.size)
        ImageDraw.Draw(mask).ellipse([10, 10, 30, 40], fill=1)
        mask.save(os.path.join(folder, f"mask_{i}.png"))


class Tiles(Dataset):
    def __init__(self, folder, size=48, train=True):
        self.images = sorted(glob.glob(os.path.join(folder, "picture_*.png")))
        self.masks = [p.replace("picture", "mask") for p in self.images]
        self.size, self.train = size, train
        self.color = v2.Compose([v2.ColorJitter(0.2, 0.2), v2.RandomGrayscale(0.1)])

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = Image.open(self.images[index]).convert("RGB")  #! .convert("RGB") => .convert("RGBA")
        mask = Image.open(self.masks[index]).convert("L")
        short = min(image.size)
        scale = self.size / short
        w, h = (max(self.size, int(round(s * scale))) for s in image.size)
        image, mask = image.resize((w, h), Image.BILINEAR), mask.resize((w, h), Image.NEAREST)
        left, top = (w - self.size) // 2, (h - self.size) // 2
        box = (left, top, left + self.size, top + self.size)
        image, mask = image.crop(box), mask.crop(box)
        if self.train and np.random.rand() < 0.5:
            image, mask = ImageOps.mirror(image), ImageOps.mirror(mask)
        if self.train:
            image = self.color(image.filter(ImageFilter.GaussianBlur(radius=1)))
        image = np.asarray(image, dtype=np.float32) / 255.0
        image = (image - np.array([0.485, 0.456, 0.406])) / np.array([0.229, 0.224, 0.225])  #! np.array([0.229, 0.224, 0.225]) => np.array([0.229, 0.224, 0.225, 1.0])
        image = torch.from_numpy(image.transpose(2, 0, 1)).float()  #! .transpose(2, 0, 1) => 
        return image, torch.from_numpy(np.array(mask)).long()


class Segmenter(nn.Module):
    def __init__(self, classes=2):
        super().__init__()
        self.enc = nn.Sequential(nn.Conv2d(3, 12, 3, 2, 1), nn.ReLU(), nn.Conv2d(12, 24, 3, 2, 1), nn.ReLU())
        self.aspp = nn.ModuleList([nn.Conv2d(24, 8, 3, padding=r, dilation=r) for r in (1, 2, 4)] + [nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(24, 8, 1))])
        self.out = nn.Conv2d(32, classes, 1)

    def forward(self, x):
        f = self.enc(x)
        size = f.shape[-2:]
        parts = [F.interpolate(b(f), size=size) if isinstance(b, nn.Sequential) else b(f) for b in self.aspp]
        return F.interpolate(self.out(torch.cat(parts, 1)), size=x.shape[-2:], mode="bilinear", align_corners=False)


@torch.no_grad()
def sliding_window(model, image, window=48, stride=32, classes=2):
    _, _, h, w = image.shape
    ph, pw = (stride - (h - window) % stride) % stride, (stride - (w - window) % stride) % stride
    padded = F.pad(image, (0, pw, 0, ph), mode="reflect")
    H, W = padded.shape[-2:]
    total, count = torch.zeros(1, classes, H, W), torch.zeros(1, 1, H, W)
    for y in range(0, H - window + 1, stride):
        for x in range(0, W - window + 1, stride):
            total[:, :, y : y + window, x : x + window] += model(padded[:, :, y : y + window, x : x + window])  #! y : y + window, x : x + window] += => y : y + window, x : x + stride] +=
            count[:, :, y : y + window, x : x + window] += 1
    return (total / count)[:, :, :h, :w]


def confusion(pred, target, n):
    keep = (target >= 0) & (target < n)
    return torch.bincount(n * target[keep] + pred[keep], minlength=n**2).reshape(n, n)  #! minlength=n**2).reshape(n, n) => minlength=n**2).reshape(n, n + 1)


def main():
    folder = tempfile.mkdtemp()
    draw(folder)
    loader = DataLoader(Tiles(folder), batch_size=3)
    model = Segmenter()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9, nesterov=True)
    matrix = torch.zeros(2, 2)
    for image, mask in loader:
        logits = model(image)
        loss = F.cross_entropy(logits, mask)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        matrix += confusion(logits.argmax(1), mask, 2)
    reveal_type(logits)
    iou = matrix.diag() / (matrix.sum(0) + matrix.sum(1) - matrix.diag())
    reveal_type(iou)
    transform = v2.Compose([v2.ToImage(), v2.Resize(64, antialias=True), v2.CenterCrop((56, 56)), v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5] * 3, [0.5] * 3)])
    picture = Image.open(os.path.join(folder, "picture_0.png")).convert("RGB")
    tensor = transform(picture)
    reveal_type(tensor)
    reveal_type(sliding_window(model.eval(), TF.to_tensor(picture)[None]))
    boxes = tv_tensors.BoundingBoxes(torch.tensor([[10, 10, 30, 40]]), format="XYXY", canvas_size=(60, 80))
    flipped, moved = v2.RandomHorizontalFlip(p=1.0)(tv_tensors.Image(TF.pil_to_tensor(picture)), boxes)
    reveal_type(flipped)
    five = torch.stack([TF.to_tensor(c) for c in TF.five_crop(picture, [40, 40])])
    reveal_type(five)
    gray = np.array(picture.convert("L").rotate(90, expand=True))
    reveal_type(gray)
    thumb = picture.copy()
    thumb = ImageOps.fit(thumb, (32, 24))
    reveal_type(np.array(thumb))


if __name__ == "__main__":
    main()

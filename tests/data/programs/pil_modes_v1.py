import os
import random
import tempfile
from pathlib import Path

import numpy as np
import torch
import torchvision.transforms as T
import torchvision.transforms.functional as TF
from PIL import Image, ImageOps
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset, Subset
from torchvision.utils import make_grid

SIZE = 48


def draw(root):
    for i, mode in enumerate(["RGB", "L", "RGBA", "P", "1", "CMYK"] * 2):
        image = Image.fromarray(np.random.randint(0, 255, (60, 50 + i, 3), dtype=np.uint8)).convert(mode)
        image.save(root / f"{i:03d}_{i % 2}.{'tif' if mode == 'CMYK' else 'png'}")


class AddNoise:
    def __init__(self, std=0.1, p=0.5):
        self.std, self.p = std, p

    def __call__(self, tensor):
        if random.random() < self.p:
            return tensor + torch.randn(tensor.size()) * self.std
        return tensor


class PairTransform:
    """The same crop for two pictures."""

    def __call__(self, image, edges):
        i, j, h, w = T.RandomCrop.get_params(image, (SIZE, SIZE))
        image, edges = TF.crop(image, i, j, h, w), TF.crop(edges, i, j, h, w)
        if random.random() > 0.5:
            image, edges = TF.hflip(image), TF.hflip(edges)
        return TF.to_tensor(image), TF.to_tensor(edges)


class Pictures(Dataset):
    def __init__(self, files, mode="RGB", paired=None):
        self.files, self.mode, self.paired = list(files), mode, paired
        self.single = T.Compose([T.Resize(56), T.CenterCrop(SIZE), T.ToTensor(), AddNoise(), T.Normalize((0.5,) * 3, (0.5,) * 3)])  #! T.Normalize((0.5,) * 3, (0.5,) * 3) => T.Normalize((0.5,) * 4, (0.5,) * 4)

    def __len__(self):
        return len(self.files)

    def __getitem__(self, i):
        image = Image.open(self.files[i]).convert(self.mode)
        label = int(Path(self.files[i]).stem.split("_")[1])
        if self.paired:
            image = TF.pad(image, 4)
            edges = ImageOps.invert(image.convert("L"))
            return (*self.paired(image, edges), label)
        return self.single(image), T.functional.to_tensor(image.convert("L").resize((SIZE, SIZE))), label  #! resize((SIZE, SIZE)) => resize((SIZE, SIZE // 2))


class TwoStream(nn.Module):
    def __init__(self):
        super().__init__()
        conv = lambda a, b: nn.Sequential(nn.Conv2d(a, b, 5, stride=2), nn.ReLU(), nn.AvgPool2d(2))
        self.colour, self.edges = conv(3, 8), conv(1, 8)  #! conv(1, 8) => conv(3, 8)
        self.fuse = nn.Conv2d(16, 4, 1)  #! nn.Conv2d(16 => nn.Conv2d(8
        self.out = nn.Linear(4 * 11 * 11, 2)  #! 4 * 11 * 11 => 4 * 12 * 12

    def forward(self, image, edges):
        x = self.fuse(torch.cat([self.colour(image), self.edges(edges)], dim=1))
        return self.out(x.view(x.size(0), -1))


def main():
    root = Path(tempfile.mkdtemp())
    draw(root)
    files = sorted(root.iterdir())
    data = ConcatDataset([Pictures(files, paired=PairTransform()), Pictures(files)])
    random.seed(1)
    order = random.sample(range(len(data)), len(data))
    train, test = Subset(data, order[:18]), Subset(data, order[18:])
    net = TwoStream()
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for image, edges, label in DataLoader(train, batch_size=4, drop_last=True):
        reveal_type(image)
        reveal_type(edges)
        loss = nn.CrossEntropyLoss()(net(image, edges), label)  #! net(image, edges) => net(edges, image)
        opt.zero_grad()
        loss.backward()
        opt.step()
    correct = 0
    for image, edges, label in DataLoader(test, batch_size=3):
        correct += (net(image, edges).argmax(1) == label).sum().item()
    grid = make_grid(image * 0.5 + 0.5, nrow=3)
    array = (grid.permute(1, 2, 0).numpy() * 255).astype(np.uint8)  #! .permute(1, 2, 0).numpy() => .numpy()
    Image.fromarray(array).save(root / "grid.png")
    print(correct / len(test), os.listdir(root)[:2])


if __name__ == "__main__":
    main()

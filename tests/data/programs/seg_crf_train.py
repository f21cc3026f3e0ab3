"""Segmentation training script: encoder blocks from a string, ASPP, deep supervision, dice, sliding-window inference, TTA."""
import argparse
import itertools
import logging
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset, random_split
from torchvision.transforms import functional as TF

logger = logging.getLogger(__name__)


class Shapes(Dataset):
    """Coloured squares on noise."""

    def __init__(self, n, size, augment=False):
        self.n, self.size, self.augment = n, size, augment

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        g = torch.Generator().manual_seed(i)
        image, mask = torch.rand(3, self.size, self.size, generator=g), torch.zeros(self.size, self.size, dtype=torch.long)
        x, y = torch.randint(0, self.size - 12, (2,), generator=g).tolist()
        mask[y:y + 12, x:x + 12] = 1 + i % 2
        image[:, mask > 0] = 0.9
        if self.augment and i % 2:
            image, mask = TF.hflip(image), TF.hflip(mask)
        return image, mask  #! image, mask => image, mask.unsqueeze(0)


def conv_bn(cin, cout, k=3, d=1):
    return nn.Sequential(nn.Conv2d(cin, cout, k, padding=d * (k // 2), dilation=d, bias=False), nn.BatchNorm2d(cout), nn.ReLU(inplace=True))


def parse_blocks(spec):
    """'16x1,32x2' gives pairs of a width and a depth."""
    return [tuple(int(v) for v in part.split("x")) for part in spec.split(",")]


class ASPP(nn.Module):
    def __init__(self, cin, cout, rates=(1, 2, 4)):
        super().__init__()
        self.branches = nn.ModuleList([conv_bn(cin, cout, 1)] + [conv_bn(cin, cout, 3, r) for r in rates])
        self.image = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Conv2d(cin, cout, 1), nn.ReLU())
        self.project = conv_bn(cout * (len(rates) + 2), cout, 1)  #! len(rates) + 2 => len(rates) + 1

    def forward(self, x):
        outs = [b(x) for b in self.branches]
        outs.append(F.interpolate(self.image(x), size=x.shape[2:], mode="bilinear", align_corners=False))  #! size=x.shape[2:] => size=x.shape[1:]
        return self.project(torch.cat(outs, 1))


class SCSE(nn.Module):
    def __init__(self, c, r=4):
        super().__init__()
        self.channel = nn.Sequential(nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(c, c // r), nn.ReLU(), nn.Linear(c // r, c), nn.Sigmoid())
        self.space = nn.Sequential(nn.Conv2d(c, 1, 1), nn.Sigmoid())

    def forward(self, x):
        return x * self.channel(x)[:, :, None, None] + x * self.space(x)  #! [:, :, None, None] => 


class Net(nn.Module):
    def __init__(self, spec, classes):
        super().__init__()
        self.stages, skips, c = nn.ModuleList(), [], 3
        for width, depth in parse_blocks(spec):
            self.stages.append(nn.Sequential(*itertools.chain([conv_bn(c, width)], (conv_bn(width, width) for _ in range(depth - 1)))))
            skips.append(width)
            c = width
        self.aspp = ASPP(c, c)
        self.ups, self.fuse, self.side = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        for skip in skips[-2::-1]:  #! skips[-2::-1] => skips[::-1]
            self.ups.append(nn.ConvTranspose2d(c, skip, 2, stride=2))  #! 2, stride=2 => 3, stride=2
            self.fuse.append(nn.Sequential(conv_bn(2 * skip, skip), SCSE(skip)))  #! 2 * skip, skip => skip, skip
            self.side.append(nn.Conv2d(skip, classes, 1))
            c = skip

    def forward(self, x):
        maps = []
        for i, stage in enumerate(self.stages):
            x = stage(F.max_pool2d(x, 2) if i else x)
            maps.append(x)
        x, outs = self.aspp(maps.pop()), []
        for up, fuse, side in zip(self.ups, self.fuse, self.side):
            x = fuse(torch.cat([up(x), maps.pop()], dim=1))
            outs.append(side(x))
        size = outs[-1].shape[-2:]
        return [F.interpolate(o, size) for o in outs] if self.training else outs[-1]


def dice_loss(logits, target, eps=1.0):
    probs = logits.softmax(1)
    onehot = F.one_hot(target, logits.shape[1]).permute(0, 3, 1, 2).float()  #! .permute(0, 3, 1, 2) => 
    inter = (probs * onehot).sum((0, 2, 3))
    return 1 - ((2 * inter + eps) / (probs.sum((0, 2, 3)) + onehot.sum((0, 2, 3)) + eps)).mean()


@torch.no_grad()
def slide(model, image, crop=32, stride=16, classes=3):
    _, h, w = image.shape
    score, count = torch.zeros(classes, h, w), torch.zeros(h, w)
    for y, x in itertools.product(range(0, h - crop + 1, stride), range(0, w - crop + 1, stride)):
        tile = image[:, y:y + crop, x:x + crop].unsqueeze(0)  #! .unsqueeze(0) => 
        out = model(tile)[0] + model(tile.flip(-1)).flip(-1)[0]
        score[:, y:y + crop, x:x + crop] += out
        count[y:y + crop, x:x + crop] += 1
    return score / count.clamp(min=1)


def main(argv=None):
    ap = argparse.ArgumentParser()
    ap.add_argument("--blocks", default="8x1,16x2,32x2")
    ap.add_argument("--size", type=int, default=48)
    ap.add_argument("--classes", type=int, default=3)
    ap.add_argument("--accumulate", type=int, default=2)
    args = ap.parse_args(argv)
    logging.basicConfig(level=logging.INFO)
    full = Shapes(30, args.size, augment=True)
    train, val = random_split(full, [0.8, 0.2], generator=torch.Generator().manual_seed(0))
    loaders = {"train": DataLoader(train, 5, shuffle=True, drop_last=True), "val": DataLoader(val, 4)}
    model = Net(args.blocks, args.classes)
    opt = torch.optim.Adam(model.parameters(), 1e-3)
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    confusion = torch.zeros(args.classes, args.classes, dtype=torch.int64)
    for phase, loader in loaders.items():
        model.train(phase == "train")
        for step, (image, mask) in enumerate(loader):
            with torch.set_grad_enabled(phase == "train"), torch.autocast("cpu", dtype=torch.bfloat16, enabled=False):
                outs = model(image)
                if phase == "train":
                    loss = sum(w * (F.cross_entropy(o, mask) + dice_loss(o, mask)) for w, o in zip((0.4, 1.0), outs)) / args.accumulate
                    scaler.scale(loss).backward()
                    if (step + 1) % args.accumulate == 0:
                        scaler.step(opt), scaler.update(), opt.zero_grad()
                else:
                    pred = outs.argmax(1)  #! outs.argmax(1) => outs.argmax(-1)
                    k = args.classes * mask.flatten() + pred.flatten()
                    confusion += torch.bincount(k, minlength=args.classes ** 2).reshape(args.classes, args.classes)
    reveal_type(outs)
    reveal_type(k)
    iou = confusion.diagonal() / (confusion.sum(0) + confusion.sum(1) - confusion.diagonal()).clamp(min=1)
    reveal_type(iou)
    logger.info("miou %.3f", iou.mean())
    full_map = slide(model.eval(), torch.rand(3, 64, 80), classes=args.classes)
    reveal_type(full_map)
    reveal_type(model.aspp(torch.rand(1, 32, 12, 12)))


if __name__ == "__main__":
    main()

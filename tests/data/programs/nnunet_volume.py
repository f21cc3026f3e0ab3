"""Segmentation of volumes: stages from a plan, deep supervision with weights, and inference with overlapping windows and mirroring."""
import itertools
import math
from dataclasses import dataclass, field
from typing import Dict, List, Tuple

import numpy as np
import torch
import torch.nn.functional as F
from scipy import ndimage
from torch import nn
from torch.utils.data import DataLoader, Dataset, Sampler


@dataclass
class Plan:
    patch_size: Tuple[int, int, int] = (16, 32, 32)
    pool_kernels: List[List[int]] = field(default_factory=lambda: [[1, 2, 2], [2, 2, 2], [2, 2, 2]])
    conv_kernels: List[List[int]] = field(default_factory=lambda: [[1, 3, 3], [3, 3, 3], [3, 3, 3], [3, 3, 3]])
    base_features: int = 8
    max_features: int = 32
    modalities: Dict[str, int] = field(default_factory=lambda: {"t1": 0, "t2": 1})
    classes: int = 3

    @property
    def features(self):
        return [min(self.base_features * 2 ** i, self.max_features) for i in range(len(self.conv_kernels))]


class Volumes(Dataset):
    def __init__(self, plan: Plan, count: int, seed: int = 0):
        rng = np.random.default_rng(seed)
        self.plan, self.cases = plan, []
        for _ in range(count):
            shape = tuple(int(p + rng.integers(0, 8)) for p in plan.patch_size)
            image = rng.normal(size=(len(plan.modalities), *shape)).astype(np.float32)
            image = np.stack([ndimage.gaussian_filter(c, 1.0) for c in image])
            self.cases.append((image, rng.integers(0, plan.classes, shape)))

    def __len__(self):
        return len(self.cases)

    def __getitem__(self, index):
        image, label = self.cases[index]
        starts = [np.random.randint(0, s - p + 1) for s, p in zip(label.shape, self.plan.patch_size)]
        window = tuple(slice(a, a + p) for a, p in zip(starts, self.plan.patch_size))
        return image[(slice(None), *window)], label[window]  #! (slice(None), *window) => (0, *window)


class InfiniteSampler(Sampler):
    def __init__(self, length, batches, batch_size):
        self.length, self.count = length, batches * batch_size

    def __iter__(self):
        return itertools.islice(itertools.cycle(np.random.permutation(self.length).tolist()), self.count)

    def __len__(self):
        return self.count


class ConvBlock(nn.Module):
    def __init__(self, cin, cout, kernel, stride=1):
        super().__init__()
        self.conv = nn.Conv3d(cin, cout, kernel, stride, [k // 2 for k in kernel])  #! [k // 2 for k in kernel] => [k // 2 for k in kernel[:2]]
        self.norm = nn.InstanceNorm3d(cout, affine=True)
        self.act = nn.LeakyReLU(1e-2)

    def forward(self, x):
        return self.act(self.norm(self.conv(x)))


class PlainUNet(nn.Module):
    def __init__(self, plan: Plan, deep_supervision=True):
        super().__init__()
        self.deep_supervision = deep_supervision
        features = plan.features
        strides = [[1, 1, 1], *plan.pool_kernels]
        self.encoder = nn.ModuleList()
        cin = len(plan.modalities)
        for cout, kernel, stride in zip(features, plan.conv_kernels, strides):
            self.encoder.append(nn.Sequential(ConvBlock(cin, cout, kernel, stride), ConvBlock(cout, cout, kernel)))
            cin = cout
        self.up, self.decoder, self.heads = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        for level in reversed(range(len(features) - 1)):
            self.up.append(nn.ConvTranspose3d(features[level + 1], features[level], strides[level + 1], strides[level + 1]))  #! strides[level + 1], strides[level + 1] => strides[level], strides[level]
            self.decoder.append(nn.Sequential(
                ConvBlock(2 * features[level], features[level], plan.conv_kernels[level]),  #! 2 * features[level], => features[level + 1],
                ConvBlock(features[level], features[level], plan.conv_kernels[level]),
            ))
            self.heads.append(nn.Conv3d(features[level], plan.classes, 1, bias=False))

    def forward(self, x):
        skips = []
        for stage in self.encoder:
            x = stage(x)
            skips.append(x)
        outputs = []
        for i, (up, block, head) in enumerate(zip(self.up, self.decoder, self.heads), start=2):
            x = up(x)
            x = block(torch.cat((x, skips[-i]), dim=1))  #! skips[-i]), dim=1 => skips[1 - i]), dim=1
            outputs.append(head(x))
        outputs = outputs[::-1]
        return outputs if self.deep_supervision else outputs[0]


class DiceCE(nn.Module):
    def __init__(self, smooth=1e-5):
        super().__init__()
        self.smooth, self.ce = smooth, nn.CrossEntropyLoss()

    def forward(self, logits, target):
        axes = tuple(range(2, logits.ndim))
        probs = torch.softmax(logits, 1)
        with torch.no_grad():
            one_hot = torch.zeros_like(probs).scatter_(1, target.unsqueeze(1), 1)  #! target.unsqueeze(1), 1 => target, 1
        tp = (probs * one_hot).sum(axes)
        fp, fn = (probs * (1 - one_hot)).sum(axes), ((1 - probs) * one_hot).sum(axes)
        dice = (2 * tp + self.smooth) / (2 * tp + fp + fn + self.smooth)
        return self.ce(logits, target) + 1 - dice[:, 1:].mean()


class DeepSupervision(nn.Module):
    def __init__(self, loss, levels):
        super().__init__()
        self.loss = loss
        weights = np.array([1 / 2 ** i for i in range(levels)])
        weights[-1] = 0
        self.weights = weights / weights.sum()

    def forward(self, outputs, target):
        total = 0.0
        for weight, output in zip(self.weights, outputs):
            if weight == 0:
                continue
            small = F.interpolate(target[:, None].float(), size=output.shape[2:], mode="nearest")[:, 0].long()  #! size=output.shape[2:] => size=output.shape[1:]
            total = total + float(weight) * self.loss(output, small)
        return total


def gaussian(size, sigma_scale=1 / 8):
    weights = np.zeros(size)
    weights[tuple(s // 2 for s in size)] = 1
    weights = ndimage.gaussian_filter(weights, [s * sigma_scale for s in size], mode="constant")
    return torch.from_numpy(np.clip(weights / weights.max(), 1e-3, None)).float()


def steps_of(size, patch, overlap=0.5):
    count = math.ceil((size - patch) / (patch * overlap)) + 1
    return [round((size - patch) * i / max(count - 1, 1)) for i in range(count)]


@torch.inference_mode()
def predict(model, image, plan, mirror_axes=(0, 1)):
    model.eval()
    importance = gaussian(plan.patch_size)  #! gaussian(plan.patch_size) => gaussian(plan.patch_size[::-1])
    logits = torch.zeros(plan.classes, *image.shape[1:])
    counts = torch.zeros(image.shape[1:])
    for start in itertools.product(*(steps_of(s, p) for s, p in zip(image.shape[1:], plan.patch_size))):
        window = tuple(slice(a, a + p) for a, p in zip(start, plan.patch_size))
        patch = image[(slice(None), *window)][None]  #! window)][None] => window)]
        out = model(patch)[0][0]
        for axis in mirror_axes:
            out = out + model(patch.flip(axis + 2))[0].flip(axis + 2)[0]
        logits[(slice(None), *window)] += out * importance
        counts[window] += importance
    return (logits / counts).argmax(0)  #! logits / counts => logits / counts[1:]


def main():
    np.random.seed(0), torch.manual_seed(0)
    plan = Plan()
    data = Volumes(plan, 4)
    loader = DataLoader(data, batch_size=2, sampler=InfiniteSampler(len(data), 3, 2))
    model = PlainUNet(plan)
    criterion = DeepSupervision(DiceCE(), len(plan.pool_kernels))
    optimizer = torch.optim.SGD(model.parameters(), 1e-2, momentum=0.99, nesterov=True)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda s: (1 - s / 100) ** 0.9)
    for image, label in loader:
        outputs = model(image)
        loss = criterion(outputs, label)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 12)
        optimizer.step()
        scheduler.step()
    reveal_type(outputs[0])
    reveal_type(outputs[-1])
    volume = torch.randn(len(plan.modalities), 20, 40, 36)
    reveal_type(predict(model, volume, plan))
    print(loss.item())


if __name__ == "__main__":
    main()

"""Pictures in a table of `datasets`: transforms on the fly, a split, a class map, a small vision transformer, and mixed precision on the processor."""
from functools import partial

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from datasets import Dataset
from PIL import Image
from torch.utils.data import DataLoader
from torchvision.transforms import v2

NAMES = ["circle", "square", "noise"]


def draw(kind, size, rng):
    y, x = np.mgrid[:size, :size]
    center = size / 2
    if kind == "circle":
        mask = (x - center) ** 2 + (y - center) ** 2 < (size / 3) ** 2
    elif kind == "square":
        mask = (abs(x - center) < size / 4) & (abs(y - center) < size / 4)
    else:
        mask = rng.random((size, size)) < 0.5
    return (mask[..., None] * rng.integers(100, 255, 3)).astype(np.uint8)


def build(count=30, size=40, seed=0):
    rng = np.random.default_rng(seed)
    kinds = [NAMES[i % len(NAMES)] for i in range(count)]
    images = [draw(kind, size, rng) for kind in kinds]
    return Dataset.from_dict({"pixels": np.stack(images), "kind": kinds, "id": list(range(count))})


def preprocess(batch, transform, labels):
    images = [transform(Image.fromarray(np.asarray(p, dtype=np.uint8))) for p in batch["pixels"]]
    return {"pixel_values": images, "labels": [labels[k] for k in batch["kind"]]}


def collate(examples):
    pixel_values = torch.stack([e["pixel_values"] for e in examples])
    labels = torch.tensor([e["labels"] for e in examples])
    return {"pixel_values": pixel_values, "labels": labels}


class PatchEmbed(nn.Module):
    def __init__(self, size, patch, channels, dim):
        super().__init__()
        self.grid = size // patch
        self.num_patches = self.grid ** 2
        self.proj = nn.Conv2d(channels, dim, kernel_size=patch, stride=patch)  #! nn.Conv2d(channels, dim => nn.Conv2d(1, dim

    def forward(self, x):
        return self.proj(x).flatten(2).transpose(1, 2)  #! .flatten(2).transpose(1, 2) => .flatten(2)


class Attention(nn.Module):
    def __init__(self, dim, heads, qkv_bias=True):
        super().__init__()
        self.heads, self.head_dim = heads, dim // heads
        self.qkv = nn.Linear(dim, dim * 3, bias=qkv_bias)  #! dim * 3, bias => dim * 2, bias
        self.q_norm, self.k_norm = nn.LayerNorm(self.head_dim), nn.LayerNorm(self.head_dim)  #! nn.LayerNorm(self.head_dim), nn.LayerNorm => nn.LayerNorm(dim), nn.LayerNorm
        self.proj = nn.Linear(dim, dim)

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(x).reshape(b, n, 3, self.heads, self.head_dim).permute(2, 0, 3, 1, 4).unbind(0)
        x = F.scaled_dot_product_attention(self.q_norm(q), self.k_norm(k), v)
        return self.proj(x.transpose(1, 2).reshape(b, n, c))


class LayerScale(nn.Module):
    def __init__(self, dim, init=1e-5):
        super().__init__()
        self.gamma = nn.Parameter(init * torch.ones(dim))

    def forward(self, x):
        return x * self.gamma


class Block(nn.Module):
    def __init__(self, dim, heads, ratio=4.0, drop_path=0.0):
        super().__init__()
        hidden = int(dim * ratio)
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.attn, self.ls1, self.ls2 = Attention(dim, heads), LayerScale(dim), LayerScale(dim)  #! LayerScale(dim), LayerScale(dim) => LayerScale(heads), LayerScale(dim)
        self.mlp = nn.Sequential(nn.Linear(dim, hidden), nn.GELU(), nn.Linear(hidden, dim))
        self.drop_path = drop_path

    def _drop(self, x):
        if self.drop_path == 0.0 or not self.training:
            return x
        keep = 1 - self.drop_path
        mask = x.new_empty((x.shape[0],) + (1,) * (x.ndim - 1)).bernoulli_(keep)
        return x * mask / keep

    def forward(self, x):
        x = x + self._drop(self.ls1(self.attn(self.norm1(x))))
        return x + self._drop(self.ls2(self.mlp(self.norm2(x))))


class TinyViT(nn.Module):
    def __init__(self, size=32, patch=8, channels=3, dim=48, depth=3, heads=4, classes=3, registers=2, drop_path=0.1):
        super().__init__()
        self.patch_embed = PatchEmbed(size, patch, channels, dim)
        self.cls_token = nn.Parameter(torch.zeros(1, 1, dim))
        self.registers = nn.Parameter(torch.randn(1, registers, dim) * 0.02)
        self.pos_embed = nn.Parameter(torch.randn(1, self.patch_embed.num_patches, dim) * 0.02)  #! self.patch_embed.num_patches, dim => self.patch_embed.num_patches + 1, dim
        rates = torch.linspace(0, drop_path, depth).tolist()
        self.blocks = nn.Sequential(*(Block(dim, heads, drop_path=rate) for rate in rates))
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(2 * dim, classes)

    def interpolate(self, h, w):
        grid = self.patch_embed.grid
        if (h, w) == (grid, grid):
            return self.pos_embed
        pos = self.pos_embed.reshape(1, grid, grid, -1).permute(0, 3, 1, 2)
        return F.interpolate(pos, size=(h, w), mode="bicubic", antialias=True).flatten(2).mT

    def forward(self, x):
        b, _, height, width = x.shape
        patch = self.patch_embed.proj.kernel_size[0]
        x = self.patch_embed(x) + self.interpolate(height // patch, width // patch)
        extra = torch.cat([self.cls_token, self.registers], dim=1).expand(b, -1, -1)
        x = self.norm(self.blocks(torch.cat([extra, x], dim=1)))
        count = extra.shape[1]
        return self.head(torch.cat([x[:, 0], x[:, count:].mean(1)], dim=-1))  #! x[:, count:].mean(1)], dim=-1 => x[:, count:]], dim=-1


def main():
    torch.manual_seed(0)
    labels = {name: i for i, name in enumerate(NAMES)}
    train_transform = v2.Compose([v2.ToImage(), v2.RandomResizedCrop((32, 32)), v2.RandomHorizontalFlip(), v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5] * 3, [0.5] * 3)])  #! v2.RandomResizedCrop((32, 32)) => v2.RandomResizedCrop((36, 32))
    test_transform = v2.Compose([v2.ToImage(), v2.Resize((32, 32)), v2.ToDtype(torch.float32, scale=True), v2.Normalize([0.5] * 3, [0.5] * 3)])
    parts = build().train_test_split(test_size=0.2, seed=0)
    parts["train"].set_transform(partial(preprocess, transform=train_transform, labels=labels))
    parts["test"].set_transform(partial(preprocess, transform=test_transform, labels=labels))
    loaders = {k: DataLoader(d, batch_size=5, shuffle=k == "train", collate_fn=collate) for k, d in parts.items()}
    model = TinyViT(classes=len(NAMES))
    ema = {k: v.clone() for k, v in model.state_dict().items()}
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3, weight_decay=0.05)
    for batch in loaders["train"]:
        with torch.autocast("cpu", dtype=torch.bfloat16):
            logits = model(batch["pixel_values"])
            loss = F.cross_entropy(logits, batch["labels"])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        for k, v in model.state_dict().items():
            ema[k].mul_(0.9).add_(v, alpha=0.1)  #! .add_(v, alpha=0.1) => .add_(v[None].repeat(2, *[1] * v.ndim), alpha=0.1)
    model.load_state_dict(ema)
    model.eval()
    outputs = []
    with torch.inference_mode():
        for batch in loaders["test"]:
            outputs.append(model(batch["pixel_values"]))
    outputs = torch.cat(outputs)  #! torch.cat(outputs) => torch.stack(outputs)
    reveal_type(batch["pixel_values"])
    reveal_type(outputs)
    reveal_type(model(torch.zeros(1, 3, 48, 64)))
    print(loss.item(), outputs.argmax(1).bincount(minlength=len(NAMES)))


if __name__ == "__main__":
    main()

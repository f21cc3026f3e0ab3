"""A data pipeline: files in folders, a transform registry, chained data sets, iterable shards and worker info, metrics by class."""
import itertools
import json
import os
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
import numpy as np
import torch
import torch.nn as nn
from PIL import Image
from torch.utils.data import ChainDataset, ConcatDataset, DataLoader, Dataset, IterableDataset, Subset, get_worker_info
from torchvision import transforms as T
from torchvision.datasets import ImageFolder


@dataclass
class Options:
    root: str
    size: int = 24
    batch: int = 4
    classes: tuple = ("cat", "dog", "owl")

    def save(self, path):
        Path(path).write_text(json.dumps(asdict(self)))

    @classmethod
    def load(cls, path):
        return cls(**json.loads(Path(path).read_text()))


def build_folder(root, classes, n=5):
    rng = np.random.default_rng(0)
    for name in classes:
        folder = Path(root) / name
        folder.mkdir(parents=True, exist_ok=True)
        for i in range(n):
            Image.fromarray(rng.integers(0, 255, (30, 40, 3), dtype=np.uint8)).save(folder / f"{i}.png")


class Shards(IterableDataset):
    def __init__(self, shards):
        self.shards = shards

    def __iter__(self):
        info = get_worker_info()
        mine = self.shards if info is None else self.shards[info.id::info.num_workers]
        for shard in mine:
            for row in shard:
                yield torch.tensor(row[:-1]), int(row[-1])


class Cached(Dataset):
    def __init__(self, base):
        self.base, self.cache = base, {}

    def __len__(self):
        return len(self.base)

    def __getitem__(self, i):
        if i not in self.cache:
            self.cache[i] = self.base[i]
        return self.cache[i]


def pipeline(size, train):
    steps = [T.Resize(size + 4), T.RandomCrop(size)] if train else [T.Resize((size, size))]  #! T.Resize((size, size)) => T.Resize(size)
    return T.Compose(steps + [T.ToTensor(), T.Normalize(mean=(0.5,) * 3, std=(0.25,) * 3)])


class Net(nn.Module):
    def __init__(self, size, classes):
        super().__init__()
        self.conv = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.ReLU(), nn.Conv2d(8, 16, 3, 2, 1), nn.ReLU())
        self.fc = nn.Linear(16 * (size // 4) ** 2, classes)  #! (size // 4) ** 2 => (size // 2) ** 2

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))  #! .flatten(1) => .flatten()


root = tempfile.mkdtemp()
options = Options(os.path.join(root, "images"))
build_folder(options.root, options.classes)
options.save(os.path.join(root, "options.json"))
train = Cached(ImageFolder(options.root, pipeline(options.size, True)))
valid = ImageFolder(options.root, transform=pipeline(options.size, False))
both = ConcatDataset([Subset(valid, range(3)), Subset(valid, [3, 4])])
model = Net(options.size, len(options.classes))
opt = torch.optim.SGD(model.parameters(), 0.1)
for image, label in DataLoader(train, options.batch, shuffle=True, drop_last=True):
    out = model(image)
    loss = nn.functional.cross_entropy(out, label)  #! out, label => out.softmax(1)[0], label
    opt.zero_grad()
    loss.backward()
    opt.step()
reveal_type(image)
reveal_type(out)
logits = torch.cat([model(x) for x, _ in DataLoader(both, 2)])
reveal_type(logits)
shards = [np.random.rand(6, 5).astype("float32").tolist() for _ in range(3)]
stream = ChainDataset([Shards(shards[:2]), Shards(shards[2:])])
head = nn.Linear(4, 3)  #! nn.Linear(4, 3) => nn.Linear(5, 3)
seen = 0
for features, target in itertools.islice(DataLoader(stream, 6), 2):
    score = head(features)
    loss = nn.functional.multi_margin_loss(score, target)  #! score, target => score, target.unsqueeze(1)
    seen += len(features)
reveal_type(features)
reveal_type(score)
stats = np.stack([np.asarray(Image.open(p).convert("L").resize((16, 12))) for p in sorted(Path(options.root).rglob("*.png"))])  #! .resize((16, 12)) => 
mean, std = stats.mean(axis=(1, 2)), stats.std(axis=(1, 2))
flat = torch.from_numpy(stats.reshape(len(stats), -1)).float()
small = nn.Linear(192, 2)(flat)
batch = torch.stack([T.functional.to_tensor(Image.new("RGB", (20, 10))) for _ in range(3)])
reveal_type(batch)
gray = T.Grayscale()(batch)
reveal_type(gray)
crops = T.FiveCrop(8)(batch)
reveal_type(torch.stack(crops))
mixed = batch.permute(0, 2, 3, 1).numpy()[..., ::-1].copy()  #! .permute(0, 2, 3, 1) => .permute(0, 3, 1)
reveal_type(torch.from_numpy(mixed))

"""Joined data sets: ConcatDataset, StackDataset, chains of Subset, dataclass samples, weighted sampling, residual batches."""
from dataclasses import dataclass, astuple
from typing import List

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset, StackDataset, Subset, TensorDataset, WeightedRandomSampler, random_split

LEADS, LENGTH, CLASSES = 12, 250, 5


@dataclass
class Sample:
    signal: Tensor
    age: float
    label: int


@dataclass
class Batch:
    signal: Tensor
    age: Tensor
    label: Tensor

    def to(self, device):
        return Batch(self.signal.to(device), self.age.to(device), self.label.to(device))

    def __len__(self):
        return self.label.shape[0]


class Hospital(Dataset):
    def __init__(self, n, seed, scale=1.0):
        rng = np.random.RandomState(seed)
        self.signals = rng.randn(n, LEADS, LENGTH).astype(np.float32) * scale  #! LEADS, LENGTH => LENGTH, LEADS
        self.ages = rng.uniform(20, 90, size=n)
        self.labels = rng.randint(0, CLASSES, size=n)

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i) -> Sample:
        return Sample(torch.from_numpy(self.signals[i]), float(self.ages[i]), int(self.labels[i]))


def collate(samples: List[Sample]) -> Batch:
    return Batch(
        signal=torch.stack([s.signal for s in samples]),  #! torch.stack => torch.cat
        age=torch.tensor([[s.age / 100] for s in samples]),  #! [s.age / 100] => s.age / 100
        label=torch.tensor([s.label for s in samples]),
    )


class Residual(nn.Module):
    def __init__(self, c_in, c_out, stride):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv1d(c_in, c_out, 7, stride=stride, padding=3), nn.BatchNorm1d(c_out), nn.ReLU(),  #! padding=3 => padding=2
            nn.Conv1d(c_out, c_out, 7, padding=3), nn.BatchNorm1d(c_out))
        self.skip = nn.Conv1d(c_in, c_out, 1, stride=stride) if stride != 1 or c_in != c_out else nn.Identity()  #! stride=stride => stride=1

    def forward(self, x):
        return torch.relu(self.body(x) + self.skip(x))


class ECGNet(nn.Module):
    def __init__(self, widths=(16, 32, 64)):
        super().__init__()
        c, layers = LEADS, []
        for w in widths:
            layers += [Residual(c, w, 2)]
            c = w
        self.trunk = nn.Sequential(*layers)
        self.head = nn.Linear(c + 1, CLASSES)  #! c + 1 => c

    def forward(self, batch: Batch):
        z = self.trunk(batch.signal).amax(dim=-1)  #! dim=-1 => dim=1
        return self.head(torch.cat([z, batch.age], dim=1))


def main():
    sets = [Hospital(n, seed) for seed, n in enumerate((70, 50, 33))]
    everything = ConcatDataset(sets)
    train, valid, test = random_split(everything, [0.7, 0.2, 0.1], generator=torch.Generator().manual_seed(1))
    print(len(train), len(valid), len(test))
    labels = torch.tensor([everything[i].label for i in train.indices])
    counts = torch.bincount(labels, minlength=CLASSES).float()
    reveal_type(counts)
    weights = 1.0 / counts.clamp(min=1)
    sampler = WeightedRandomSampler(weights[labels].tolist(), num_samples=96, replacement=True)
    loader = DataLoader(train, batch_size=16, sampler=sampler, collate_fn=collate, drop_last=True)
    model = ECGNet()
    criterion = nn.CrossEntropyLoss(weight=weights)  #! weight=weights => weight=weights[1:]
    opt = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
    for batch in loader:
        batch = batch.to("cpu")
        logits = model(batch)
        reveal_type(logits)
        loss = criterion(logits, batch.label)  #! batch.label => batch.age
        opt.zero_grad()
        loss.backward()
        opt.step()

    model.eval()
    small = Subset(Subset(valid, range(0, len(valid), 2)), list(range(10)))
    outputs = []
    with torch.no_grad():
        for batch in DataLoader(small, batch_size=4, collate_fn=collate):
            outputs.append(model(batch).softmax(-1))
    reveal_type(outputs[-1])
    joined = torch.cat(outputs)
    reveal_type(joined)
    signal, age, label = astuple(sets[0][3])
    reveal_type(signal)

    features = TensorDataset(torch.randn(20, 8), torch.randn(20, 3))
    pairs = StackDataset(features, torch.arange(20))
    for (a, b), index in DataLoader(pairs, batch_size=6):
        mixed = torch.cat([a, b], 1) @ torch.randn(11, 2)  #! 11, 2 => 12, 2
    reveal_type(mixed)
    reveal_type(index)
    named = StackDataset(image=torch.randn(10, 3, 8, 8), text=torch.randint(0, 9, (10, 6)))
    for item in DataLoader(named, batch_size=5):
        score = item["image"].flatten(1) @ torch.randn(192, 6) * item["text"]  #! 192, 6 => 192, 5
    reveal_type(score)


if __name__ == "__main__":
    main()

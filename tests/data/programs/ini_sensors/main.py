"""Activity recognition; settings from an INI file, tables read with the csv module."""
import configparser
import csv
from pathlib import Path

import torch
from torch import nn
from torch.utils.data import ConcatDataset, DataLoader, Dataset, WeightedRandomSampler

ROOT = Path(__file__).parent


class Recording(Dataset):
    def __init__(self, path, label, window, stride):
        self.label = label
        with open(path, newline="") as f:
            reader = csv.DictReader(f)
            self.rows = [[float(row["ax"]), float(row["ay"]), float(row["az"])] for row in reader]  #! float(row["ay"]), float => float
        self.window = window
        self.starts = range(0, len(self.rows) - window + 1, stride)

    def __len__(self):
        return len(self.starts)

    def __getitem__(self, i):
        start = self.starts[i]
        x = torch.tensor(self.rows[start:start + self.window]).T
        return x, self.label


def load(config):
    section = config["data"]
    names = [n.strip() for n in section["files"].split(",")]
    parts = [Recording(ROOT / name, i, section.getint("window"), section.getint("stride")) for i, name in enumerate(names)]
    return ConcatDataset(parts), [len(p) for p in parts]


class Net(nn.Module):
    def __init__(self, section):
        super().__init__()
        filters = list(map(int, section.get("filters").split(",")))
        k = section.getint("kernel")
        channels, length = section.getint("channels"), section.getint("window")
        blocks = []
        for f in filters:
            blocks += [nn.Conv1d(channels, f, k), nn.ReLU()]
            channels = f
            length = length - k + 1  #! length - k + 1 => length - k
        self.conv = nn.Sequential(*blocks)
        self.fc = nn.Linear(channels * length, section.getint("classes"))

    def forward(self, x):
        return self.fc(self.conv(x).flatten(1))  #! .flatten(1) => .flatten(2)


def main():
    config = configparser.ConfigParser()
    config.read(ROOT / "settings.ini")
    data, sizes = load(config)
    weights = torch.cat([torch.full((n,), 1.0 / n) for n in sizes])
    sampler = WeightedRandomSampler(weights, num_samples=16)
    loader = DataLoader(data, batch_size=config.getint("data", "batch_size"), sampler=sampler)
    net = Net(config["network"])
    optimizer = torch.optim.Adam(net.parameters(), lr=config.getfloat("network", "lr", fallback=1e-3))
    criterion = nn.CrossEntropyLoss()
    for x, y in loader:
        reveal_type(x)
        out = net(x)  #! net(x) => net(x.transpose(1, 2))
        loss = criterion(out, y)  #! out, y => out.T, y
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    confusion = torch.zeros(2, 2)
    for x, y in DataLoader(data, batch_size=5):
        guess = net(x).argmax(dim=1)
        for t, g in zip(y, guess):
            confusion[t, g] += 1
    precision = confusion.diag() / confusion.sum(0).clamp(min=1)
    reveal_type(precision)
    print(precision @ torch.tensor([0.5, 0.5]))  #! torch.tensor([0.5, 0.5]) => torch.tensor([0.3, 0.3, 0.4])


if __name__ == "__main__":
    main()

"""Settings in YAML files that name the class; the table lies beside the program."""
import importlib
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import torch
import yaml
from torch import nn
from torch.utils.data import DataLoader, Dataset, WeightedRandomSampler

BASE = Path(__file__).parent


def read_yaml(path):
    with open(path) as stream:
        return yaml.safe_load(stream)


def instantiate(spec, **extra):
    spec = dict(spec)
    module, _, name = spec.pop("_target_").rpartition(".")
    return getattr(importlib.import_module(module), name)(**spec, **extra)


def to_namespace(value):
    if isinstance(value, dict):
        return SimpleNamespace(**{k: to_namespace(v) for k, v in value.items()})
    return value


class CsvDataset(Dataset):
    def __init__(self, path, target):
        frame = pd.read_csv(path)
        self.labels = torch.tensor(frame[target].values)
        frame = frame.drop(columns=[target])  #! columns=[target] => columns=[target, "f4"]
        sites = pd.get_dummies(frame.pop("site")).to_numpy(dtype="float32")
        numbers = torch.tensor(frame.values, dtype=torch.float32)
        reveal_type(numbers)
        self.x = torch.cat([numbers, torch.from_numpy(sites)], dim=1)  #! dim=1 => dim=0
        self.classes = int(self.labels.max()) + 1

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, i):
        return self.x[i], self.labels[i]


def main():
    raw = read_yaml(BASE / "config" / "config.yaml")
    model_spec = read_yaml(BASE / "config" / raw.pop("defaults_file"))
    cfg = to_namespace(raw)
    data = CsvDataset(BASE / cfg.data.csv, cfg.data.target)
    counts = torch.bincount(data.labels, minlength=3).float()
    sampler = WeightedRandomSampler((1 / counts)[data.labels], len(data))
    loader = DataLoader(data, batch_size=cfg.data.batch, sampler=sampler)
    model = instantiate(model_spec, in_features=7, out_features=3)  #! in_features=7 => in_features=6
    opt = torch.optim.SGD(model.parameters(), lr=cfg.train.lr)
    criterion = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 1.0, 2.0]))  #! [1.0, 1.0, 2.0] => [1.0, 2.0]
    for epoch in range(cfg.train.epochs):
        for x, y in loader:
            logits = model(x)
            reveal_type(logits)
            loss = criterion(logits, y)
            opt.zero_grad()
            loss.backward()
            opt.step()
    gram = data.x.T @ data.x  #! data.x.T @ data.x => data.x @ data.x
    reveal_type(gram)
    print(torch.linalg.eigvalsh(gram)[-3:] * torch.tensor([1.0, 0.5, 0.2]))  #! [-3:] => [-4:]


if __name__ == "__main__":
    main()

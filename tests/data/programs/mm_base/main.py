import argparse
import os

import torch
from torch.utils.data import DataLoader, Dataset

from lib import Config, build


class Noise(Dataset):
    def __init__(self, length, size):
        self.length, self.size = length, size

    def __len__(self):
        return self.length

    def __getitem__(self, i):
        return dict(img=torch.rand(3, *self.size), label=i % 7)  #! torch.rand(3 => torch.rand(1


def parse_args():
    parser = argparse.ArgumentParser(description="Train a classifier")
    parser.add_argument("config", nargs="?", default="configs/wide.py")
    parser.add_argument("--work-dir")
    return parser.parse_args()


def main():
    args = parse_args()
    cfg = Config.fromfile(os.path.join(os.path.dirname(os.path.abspath(__file__)), args.config))
    model = build(cfg.model.to_dict())
    loader = DataLoader(Noise(20, cfg.data.image_size), batch_size=cfg.data.samples_per_batch)
    opt = torch.optim.SGD(model.parameters(), lr=0.1)
    for batch in loader:
        loss = model(**batch)
        opt.zero_grad()
        loss.backward()
        opt.step()
    logits = model(batch["img"], return_loss=False)
    reveal_type(logits)


if __name__ == "__main__":
    main()

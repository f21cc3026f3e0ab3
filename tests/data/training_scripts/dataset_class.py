import csv
import random
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset


class Rows(Dataset):
    def __init__(self, path, train=True, augment=None):
        self.rows = []
        with open(path) as f:
            for row in csv.reader(f):
                if not row:
                    continue
                self.rows.append([float(v) for v in row])
        if not train:
            self.rows = self.rows[:10]
        self.augment = augment

    def __len__(self):
        return len(self.rows)

    def __getitem__(self, i):
        row = torch.tensor(self.rows[i])
        if self.augment is not None:
            row = self.augment(row)
        if random.random() > 0.5:
            row = row.flip(0)
        return row[:8], row[8]


def flip(row):
    if torch.rand(1) < 0.5:
        return -row
    return row


net = nn.Linear(8, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
loaders = {phase: DataLoader(Rows(phase + ".csv", phase == "train", flip), batch_size=4) for phase in ["train", "val"]}
for epoch in range(3):
    for phase in ["train", "val"]:
        if phase == "train":
            net.train()
        else:
            net.eval()
        for x, y in loaders[phase]:
            opt.zero_grad()
            with torch.set_grad_enabled(phase == "train"):
                loss = nn.functional.mse_loss(net(x).squeeze(1), y)
                if phase == "train":
                    loss.backward()
                    opt.step()
        if phase == "val" and epoch > 1:
            print(epoch)

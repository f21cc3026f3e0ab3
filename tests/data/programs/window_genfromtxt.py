"""Forecast a sensor from windows of a text table that is read with numpy."""
import argparse
import os
import tempfile

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def parse():
    p = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    p.add_argument("--history", "-H", type=int, default=24)
    p.add_argument("--horizon", type=int, default=6)
    p.add_argument("--hidden", type=int, nargs="+", default=[32, 16])
    p.add_argument("--difference", action=argparse.BooleanOptionalAction, default=True)
    p.add_argument("--batch-size", dest="bs", type=int, default=16)
    return p.parse_args()


def write_table(path):
    t = np.arange(240)
    rows = np.stack([t, np.sin(t / 9), np.cos(t / 7), (t % 24) / 24, np.sqrt(t)], axis=1)
    np.savetxt(path, rows, delimiter=",", header="t,load,temp,hour,drift", comments="")


def windows(table, history, horizon):
    views = sliding_window_view(table, history + horizon, axis=0)  #! axis=0 => axis=1
    reveal_type(views)
    views = views.transpose(0, 2, 1)  #! 0, 2, 1 => 0, 1, 2
    past = views[:, :history]
    future = views[:, history:, 0]  #! history:, 0 => history:
    return past.copy(), future.copy()


class Net(nn.Module):
    def __init__(self, history, features, hidden, horizon):
        super().__init__()
        widths = [history * features, *hidden]
        layers = []
        for a, b in zip(widths[:-1], widths[1:]):  #! widths[1:] => widths[:-1]
            layers += [nn.Linear(a, b), nn.ReLU()]
        self.body = nn.Sequential(nn.Flatten(), *layers)
        self.head = nn.Linear(widths[-1], horizon)  #! widths[-1] => widths[0]

    def forward(self, x):
        return self.head(self.body(x))


def main():
    args = parse()
    path = os.path.join(tempfile.mkdtemp(), "sensors.csv")
    write_table(path)
    table = np.genfromtxt(path, delimiter=",", skip_header=1, usecols=(1, 2, 3, 4))
    if args.difference:
        table = np.diff(table, axis=0)
    mean, std = table.mean(0, keepdims=True), table.std(0, keepdims=True)
    table = ((table - mean) / std).astype(np.float32)
    x, y = windows(table, args.history, args.horizon)
    cut = int(0.8 * len(x))
    train = TensorDataset(torch.from_numpy(x[:cut]), torch.from_numpy(y[:cut]))  #! y[:cut] => y[cut:]
    test = TensorDataset(torch.from_numpy(x[cut:]), torch.from_numpy(y[cut:]))
    net = Net(args.history, table.shape[1], args.hidden, args.horizon)  #! table.shape[1] => table.shape[0]
    opt = torch.optim.Adam(net.parameters(), 1e-3)
    for epoch in range(2):
        for xb, yb in DataLoader(train, args.bs, shuffle=True, drop_last=True):
            reveal_type(xb)
            loss = nn.functional.mse_loss(net(xb), yb)
            opt.zero_grad()
            loss.backward()
            opt.step()
    net.eval()
    errors = []
    with torch.no_grad():
        for xb, yb in DataLoader(test, args.bs):
            errors.append((net(xb) - yb).abs().numpy())
    errors = np.concatenate(errors)  #! np.concatenate(errors) => np.stack(errors)
    reveal_type(errors.mean(axis=0))
    per_step = dict(zip(range(1, args.horizon + 1), errors.mean(axis=0)))
    print(per_step)


if __name__ == "__main__":
    main()

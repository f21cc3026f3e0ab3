"""Forecasting with sliding windows, a temporal convolution network and an LSTM with state carried over."""
from abc import ABC, abstractmethod
from enum import Enum
from typing import Generic, TypeVar, Protocol

import numpy as np
import torch
import torch.nn as nn
from torch.nn.utils.parametrizations import weight_norm
from torch.utils.data import TensorDataset, DataLoader


class Kind(Enum):
    TCN = "tcn"
    LSTM = "lstm"


class Forecaster(nn.Module, ABC):
    registry: dict = {}

    def __init_subclass__(cls, kind=None, **kwargs):
        super().__init_subclass__(**kwargs)
        if kind is not None:
            Forecaster.registry[kind] = cls

    def __init__(self, n_features, horizon):
        super().__init__()
        self.n_features, self.horizon = n_features, horizon

    @abstractmethod
    def encode(self, x):
        ...

    def forward(self, x):
        return self.head(self.encode(x)).view(-1, self.horizon, self.n_features)


class Chomp1d(nn.Module):
    def __init__(self, chomp_size):
        super().__init__()
        self.chomp_size = chomp_size

    def forward(self, x):
        return x[:, :, : -self.chomp_size].contiguous()  #! : -self.chomp_size] => self.chomp_size :]


class TemporalBlock(nn.Module):
    def __init__(self, n_in, n_out, kernel, dilation):
        super().__init__()
        padding = (kernel - 1) * dilation  #! (kernel - 1) * dilation => kernel * dilation
        self.conv1 = weight_norm(nn.Conv1d(n_in, n_out, kernel, padding=padding, dilation=dilation))
        self.net = nn.Sequential(self.conv1, Chomp1d(padding), nn.ReLU())
        self.down = nn.Conv1d(n_in, n_out, 1) if n_in != n_out else None  #! if n_in != n_out => if n_in == n_out

    def forward(self, x):
        res = x if self.down is None else self.down(x)
        return torch.relu(self.net(x) + res)


class TCN(Forecaster, kind=Kind.TCN):
    def __init__(self, n_features, horizon, channels=(16, 24), kernel=3):
        super().__init__(n_features, horizon)
        blocks = []
        for i, c in enumerate(channels):
            blocks.append(TemporalBlock(n_features if i == 0 else channels[i - 1], c, kernel, 2 ** i))  #! channels[i - 1] => channels[i]
        self.net = nn.Sequential(*blocks)
        self.head = nn.Linear(channels[-1], horizon * n_features)  #! channels[-1] => channels[0]

    def encode(self, x):
        return self.net(x.transpose(1, 2))[:, :, -1]  #! [:, :, -1] => [:, -1]


class LSTMForecaster(Forecaster, kind=Kind.LSTM):
    def __init__(self, n_features, horizon, hidden=20):
        super().__init__(n_features, horizon)
        self.lstm = nn.LSTM(n_features, hidden, 2, batch_first=True)
        self.head = nn.Linear(hidden, horizon * n_features)
        self.state = None

    def encode(self, x):
        if self.state is not None and self.state[0].size(1) == x.size(0):
            state = tuple(s.detach() for s in self.state)
        else:
            state = None
        out, self.state = self.lstm(x, state)
        return out[:, -1]  #! out[:, -1] => out[-1]


def windows(series, length, horizon):
    n = len(series) - length - horizon + 1
    x = np.stack([series[i : i + length] for i in range(n)])
    y = np.stack([series[i + length : i + length + horizon] for i in range(n)])  #! i + length + horizon] => i + length + horizon - 1]
    return torch.as_tensor(x, dtype=torch.float32), torch.as_tensor(y, dtype=torch.float32)


series = np.cumsum(np.random.randn(100, 3), axis=0)
split = int(0.8 * len(series))
train_x, train_y = windows(series[:split], 24, 4)
reveal_type(train_x)
reveal_type(train_y)
loader = DataLoader(TensorDataset(train_x, train_y), batch_size=16)
for kind in Kind:
    model = Forecaster.registry[kind](n_features=3, horizon=4)  #! horizon=4 => horizon=6
    opt = torch.optim.Adam(model.parameters())
    for x, y in loader:
        pred = model(x)
        loss = nn.functional.l1_loss(pred, y)
        loss.backward()
        opt.step()
        opt.zero_grad()
    history = train_x[-1:]
    future = []
    with torch.no_grad():
        for _ in range(3):
            step = model(history)
            future.append(step)
            history = torch.cat([history[:, step.size(1):], step], dim=1)  #! dim=1 => dim=2
    forecast = torch.cat(future, dim=1).squeeze(0)
    reveal_type(forecast)

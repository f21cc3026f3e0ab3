"""Lag and rolling features with pandas, a recurrent net on sequences of them."""
import datetime as dt

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Dataset

LOOKBACK = 14
LAGS = (1, 7)
WINDOWS = [3, 7]


def load_sales(days=160):
    index = pd.date_range("2020-01-01", periods=days, freq="D")
    df = pd.DataFrame({"sales": 50 + 10 * np.sin(np.arange(days) / 7), "promo": (np.arange(days) % 9 == 0).astype(int)}, index=index)
    df.index.name = "date"
    return df


def add_features(df):
    df = df.copy()
    for lag in LAGS:
        df[f"lag_{lag}"] = df["sales"].shift(lag)
    for w in WINDOWS:
        df[f"mean_{w}"] = df["sales"].rolling(window=w).mean()
        df[f"std_{w}"] = df["sales"].rolling(window=w).std()
    df["dow_sin"] = np.sin(2 * np.pi * df.index.dayofweek / 7)
    df["dow_cos"] = np.cos(2 * np.pi * df.index.dayofweek / 7)
    return df.dropna()


class Sequences(Dataset):
    def __init__(self, frame, target, lookback):
        self.x = frame.drop(target, axis=1).to_numpy(dtype=np.float32)  #! frame.drop(target, axis=1) => frame
        self.y = frame[target].to_numpy(dtype=np.float32)
        self.lookback = lookback

    def __len__(self):
        return len(self.x) - self.lookback

    def __getitem__(self, i):
        return self.x[i:i + self.lookback], self.y[i + self.lookback]  #! self.y[i + self.lookback] => self.y[i:i + self.lookback]


class Forecaster(nn.Module):
    def __init__(self, n_features, hidden=16, layers=2):
        super().__init__()
        self.hidden, self.layers = hidden, layers
        self.lstm = nn.LSTM(input_size=n_features, hidden_size=hidden, num_layers=layers, batch_first=True)
        self.linear = nn.Linear(hidden, 1)

    def forward(self, x):
        h0 = torch.zeros(self.layers, x.size(0), self.hidden)  #! x.size(0) => x.size(1)
        c0 = torch.zeros(self.layers, x.size(0), self.hidden)
        out, (hn, cn) = self.lstm(x, (h0, c0))
        return self.linear(out[:, -1, :]).flatten()  #! out[:, -1, :] => hn[:, -1, :]


features = add_features(load_sales())
split = int(len(features) * 0.75)
train_df, test_df = features.iloc[:split], features.iloc[split:]
mean, std = train_df.mean(), train_df.std()
train_df, test_df = (train_df - mean) / std, (test_df - mean) / std
train_set, test_set = Sequences(train_df, "sales", LOOKBACK), Sequences(test_df, "sales", LOOKBACK)
n_features = 1 + len(LAGS) + 2 * len(WINDOWS) + 2  #! 2 * len(WINDOWS) => len(WINDOWS)
reveal_type(train_set.x[:5])
model = Forecaster(n_features)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for x, y in DataLoader(train_set, batch_size=8, shuffle=True):
        reveal_type(x)
        loss = nn.functional.huber_loss(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
model.eval()
with torch.no_grad():
    forecast = torch.cat([model(x) for x, _ in DataLoader(test_set, batch_size=8)]).numpy()
actual = test_df["sales"].values[LOOKBACK:]  #! [LOOKBACK:] => [:LOOKBACK]
forecast = forecast * std["sales"] + mean["sales"]
result = pd.DataFrame({"forecast": forecast, "actual": actual * std["sales"] + mean["sales"]}, index=test_df.index[LOOKBACK:])
weekly = result.resample("7D").mean()
corr = np.corrcoef(result.to_numpy().T)
reveal_type(corr)
print(weekly.shape[1], corr @ np.ones(2), dt.date.today())  #! np.ones(2) => np.ones(3)

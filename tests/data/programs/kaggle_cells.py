# A notebook's cells one after the other: sales by store and day, lag features, an embedding model, and out-of-fold predictions.
import gc
import os
import random
import warnings

import numpy as np
import pandas as pd
import torch
import torch.nn as nn
import torch.nn.functional as F
from sklearn.metrics import mean_squared_error
from sklearn.model_selection import GroupKFold
from sklearn.preprocessing import LabelEncoder, StandardScaler
from torch.utils.data import DataLoader, Dataset
from tqdm import tqdm

warnings.filterwarnings("ignore")


class CFG:
    seed = 42
    n_fold = 3
    epochs = 2
    batch_size = 32
    lr = 2e-3
    emb_dims = {"store": 4, "weekday": 3, "promo": 2}
    hidden = [64, 32]
    lags = [1, 7]
    target = "sales"
    debug = True


def seed_everything(seed):
    random.seed(seed)
    os.environ["PYTHONHASHSEED"] = str(seed)
    np.random.seed(seed)
    torch.manual_seed(seed)
    torch.backends.cudnn.deterministic = True


seed_everything(CFG.seed)
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

# %% data
dates = pd.date_range("2023-01-01", periods=60, freq="D")
stores = [f"S{i:02d}" for i in range(6)]
df = pd.DataFrame([(d, s) for s in stores for d in dates], columns=["date", "store"])
df["promo"] = np.random.randint(0, 2, len(df))
df["temp"] = np.random.normal(15, 8, len(df))
df["sales"] = 50 + 10 * df["promo"] + np.random.normal(0, 5, len(df))
df["weekday"] = df["date"].dt.dayofweek
for lag in CFG.lags:
    df[f"lag_{lag}"] = df.groupby("store")["sales"].shift(lag)
df["roll"] = df.groupby("store")["sales"].transform(lambda s: s.shift(1).rolling(7, min_periods=1).mean())
df = df.fillna(df[["lag_1", "lag_7", "roll"]].mean()).reset_index(drop=True)

cat_cols = list(CFG.emb_dims)
num_cols = ["temp", "roll"] + [f"lag_{lag}" for lag in CFG.lags]
encoders = {}
for c in cat_cols:
    encoders[c] = LabelEncoder()
    df[c] = encoders[c].fit_transform(df[c])
cardinality = {c: int(df[c].max()) + 1 for c in cat_cols}
df[num_cols] = StandardScaler().fit_transform(df[num_cols])
print(df.shape, cardinality)


# %% dataset
class SalesDataset(Dataset):
    def __init__(self, frame, has_target=True):
        self.cats = frame[cat_cols].values.astype(np.int64)
        self.nums = frame[num_cols].values.astype(np.float32)
        self.y = frame[CFG.target].values.astype(np.float32) if has_target else None

    def __len__(self):
        return self.cats.shape[0]

    def __getitem__(self, idx):
        item = {"cats": torch.from_numpy(self.cats[idx]), "nums": torch.from_numpy(self.nums[idx])}
        if self.y is not None:
            item["y"] = torch.tensor(self.y[idx])
        return item


# %% model
class EmbeddingNet(nn.Module):
    def __init__(self, n_num=len(num_cols)):
        super().__init__()
        self.embs = nn.ModuleList([nn.Embedding(cardinality[c], d) for c, d in CFG.emb_dims.items()])
        width = sum(e.embedding_dim for e in self.embs) + n_num  #! + n_num => + len(cat_cols)
        self.bn = nn.BatchNorm1d(n_num)
        layers = []
        for h in CFG.hidden:
            layers += [nn.Linear(width, h), nn.BatchNorm1d(h), nn.SiLU(), nn.Dropout(0.2)]  #! nn.BatchNorm1d(h) => nn.BatchNorm1d(width)
            width = h
        self.mlp = nn.Sequential(*layers)
        self.head = nn.Linear(width, 1)  #! nn.Linear(width, 1) => nn.Linear(CFG.hidden[0], 1)

    def forward(self, cats, nums):
        x = [emb(cats[:, i]) for i, emb in enumerate(self.embs)]  #! cats[:, i] => cats
        x = torch.cat(x + [self.bn(nums)], 1)  #! self.bn(nums)], 1 => self.bn(nums)[0]], 1
        return self.head(self.mlp(x)).squeeze(-1)


class RMSELoss(nn.Module):
    def __init__(self, eps=1e-6):
        super().__init__()
        self.eps = eps

    def forward(self, y_hat, y):
        if y_hat.shape != y.shape:
            raise ValueError(f"{y_hat.shape} and {y.shape}")
        return torch.sqrt(F.mse_loss(y_hat, y) + self.eps)


# %% training
def train_fn(model, loader, optimizer, scheduler, criterion):
    model.train()
    losses = []
    for batch in tqdm(loader, disable=True):
        optimizer.zero_grad()
        out = model(batch["cats"].to(device), batch["nums"].to(device))
        loss = criterion(out, batch["y"].to(device))  #! criterion(out, => criterion(out.unsqueeze(1),
        loss.backward()
        optimizer.step()
        scheduler.step()
        losses.append(loss.item())
    return np.mean(losses)


def valid_fn(model, loader, criterion):
    model.eval()
    preds = np.zeros((len(loader.dataset),), dtype=np.float32)
    start = 0
    with torch.no_grad():
        for batch in loader:
            out = model(batch["cats"].to(device), batch["nums"].to(device))
            preds[start:start + out.size(0)] = out.cpu().numpy()  #! out.cpu().numpy() => out.cpu().numpy()[:, None]
            start += out.size(0)
    return preds


oof = np.zeros(len(df))
scores = []
for fold, (tr, va) in enumerate(GroupKFold(n_splits=CFG.n_fold).split(df, df[CFG.target], groups=df["store"])):
    if CFG.debug and fold > 1:
        break
    train_df, valid_df = df.iloc[tr].reset_index(drop=True), df.iloc[va].reset_index(drop=True)
    train_loader = DataLoader(SalesDataset(train_df), batch_size=CFG.batch_size, shuffle=True, drop_last=True)
    valid_loader = DataLoader(SalesDataset(valid_df), batch_size=2 * CFG.batch_size)
    model = EmbeddingNet().to(device)  #! EmbeddingNet() => EmbeddingNet(len(num_cols) - 1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=CFG.lr)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, CFG.lr, epochs=CFG.epochs, steps_per_epoch=len(train_loader))
    best = np.inf
    for epoch in range(CFG.epochs):
        avg = train_fn(model, train_loader, optimizer, scheduler, RMSELoss())
        preds = valid_fn(model, valid_loader, RMSELoss())
        score = mean_squared_error(valid_df[CFG.target].values, preds) ** 0.5
        if score < best:
            best, best_preds = score, preds.copy()
            state = {k: v.detach().cpu().clone() for k, v in model.state_dict().items()}
    oof[va] = best_preds
    scores.append(best)
    print(f"fold {fold}: {best:.4f} {avg:.4f}")
    gc.collect()

# %% inference
model.load_state_dict(state)
model.eval()
tail = df.groupby("store").tail(3)
with torch.no_grad():
    test = SalesDataset(tail, has_target=False)
    batch = next(iter(DataLoader(test, batch_size=6)))
    prediction = model(batch["cats"], batch["nums"])
reveal_type(prediction)
reveal_type(batch["nums"])
importance = pd.Series(model.mlp[0].weight.abs().mean(0).detach().numpy())
reveal_type(model.mlp[0].weight)
residual = torch.from_numpy(oof) - torch.as_tensor(df[CFG.target].values)  #! torch.from_numpy(oof) - => torch.from_numpy(oof[1:]) -
print(importance.shape, residual.abs().mean())

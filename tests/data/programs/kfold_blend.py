# K-fold training with out-of-fold predictions, then a blend.
import numpy as np
import torch
import torch.nn as nn
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import MinMaxScaler
from torch.utils.data import DataLoader, Subset, SubsetRandomSampler, TensorDataset


class CFG:
    n_features = 15
    n_targets = 4
    n_folds = 3
    hidden = 24
    batch_size = 16
    seeds = [0, 1]


class TestData(torch.utils.data.Dataset):
    def __init__(self, x):
        self.x = x

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, i):
        return {"x": torch.tensor(self.x[i, :], dtype=torch.float)}  #! self.x[i, :] => self.x[:, i]


class Model(nn.Module):
    def __init__(self, num_features, num_targets, hidden_size):
        super().__init__()
        self.batch_norm1 = nn.BatchNorm1d(num_features)
        self.dense1 = nn.utils.weight_norm(nn.Linear(num_features, hidden_size))
        self.batch_norm2 = nn.BatchNorm1d(hidden_size)  #! BatchNorm1d(hidden_size) => BatchNorm1d(num_features)
        self.dense2 = nn.utils.weight_norm(nn.Linear(hidden_size, num_targets))

    def forward(self, x):
        x = nn.functional.leaky_relu(self.dense1(self.batch_norm1(x)))
        return self.dense2(self.batch_norm2(x))


def inference_fn(model, loader):
    model.eval()
    preds = []
    for data in loader:
        with torch.no_grad():
            outputs = model(data["x"])
        preds.append(outputs.sigmoid().detach().cpu().numpy())
    return np.concatenate(preds)


def run_training(fold, seed, x, y, trn_idx, val_idx, test):
    torch.manual_seed(seed)
    data = TensorDataset(torch.tensor(x).float(), torch.tensor(y).float())
    trainloader = DataLoader(data, batch_size=CFG.batch_size, sampler=SubsetRandomSampler(trn_idx), drop_last=True)
    model = Model(CFG.n_features, CFG.n_targets, CFG.hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=1e-5)
    loss_fn = nn.BCEWithLogitsLoss(pos_weight=torch.full((CFG.n_targets,), 2.0))  #! (CFG.n_targets,) => (CFG.n_folds,)
    for inputs, targets in trainloader:
        optimizer.zero_grad()
        loss = loss_fn(model(inputs), targets)
        loss.backward()
        optimizer.step()
    oof = np.zeros((len(x), CFG.n_targets))
    oof[val_idx] = inference_fn(model, DataLoader(TestData(x[val_idx]), 8))  #! TestData(x[val_idx]) => TestData(x[trn_idx])
    return oof, inference_fn(model, DataLoader(TestData(test), 8))


def run_k_fold(x, y, test, seed):
    oof = np.zeros((len(x), CFG.n_targets))
    predictions = np.zeros((len(test), CFG.n_targets))  #! len(test) => len(x)
    for fold, (t_idx, v_idx) in enumerate(KFold(n_splits=CFG.n_folds, shuffle=True, random_state=seed).split(x)):
        oof_, pred_ = run_training(fold, seed, x, y, t_idx, v_idx, test)
        predictions += pred_ / CFG.n_folds
        oof += oof_
    return oof, predictions


rng = np.random.default_rng(5)
x = MinMaxScaler().fit_transform(rng.normal(size=(90, CFG.n_features)))
y = (rng.random((90, CFG.n_targets)) > 0.5).astype(np.float64)  #! (90, CFG.n_targets) => (90, 3)
test = rng.random((41, 15))  #! (41, 15) => (41, 16)
oof, pred = 0, 0
for seed in CFG.seeds:
    o, p = run_k_fold(x, y, test, seed)
    oof, pred = oof + o / len(CFG.seeds), pred + p / len(CFG.seeds)
reveal_type(oof)
reveal_type(pred)
print(np.mean([roc_auc_score(y[:, i], oof[:, i]) for i in range(y.shape[1])]), accuracy_score(y[:, 0], oof[:, 0] > 0.5))
blend = np.column_stack([pred, pred ** 2]) @ np.ones((8, 1))  #! np.ones((8, 1)) => np.ones((4, 1))
print(blend.shape)

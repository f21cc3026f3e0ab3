"""Survival from a passenger table: imputing, binning, encoders, embeddings for categories."""
import numpy as np
import pandas as pd
import torch
from sklearn.impute import SimpleImputer
from sklearn.metrics import classification_report, roc_auc_score
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def fake_passengers(n=120):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({
        "Survived": rng.integers(0, 2, n), "Pclass": rng.integers(1, 4, n), "Sex": rng.choice(["male", "female"], n),
        "Age": rng.normal(30, 12, n), "Fare": rng.exponential(30, n), "Name": [f"Smith, Mr. {i}" for i in range(n)],
        "SibSp": rng.integers(0, 4, n), "Parch": rng.integers(0, 3, n), "Embarked": rng.choice(["S", "C", "Q"], n)})
    frame.loc[::7, "Age"] = np.nan
    return frame


def engineer(df):
    df["FamilySize"] = df["SibSp"] + df["Parch"] + 1
    df["IsAlone"] = (df["FamilySize"] == 1).astype(int)
    df["Title"] = df["Name"].str.extract(r" ([A-Za-z]+)\.", expand=False)
    df["Sex"] = df["Sex"].map({"male": 0, "female": 1})
    df["FareBand"] = pd.qcut(df["Fare"], 4, labels=False)
    df.drop(["Name", "Title", "SibSp", "Parch"], axis=1, inplace=True)  #! "SibSp", "Parch"] => "SibSp"]
    return df


df = engineer(fake_passengers())
numeric = ["Age", "Fare", "FamilySize", "FareBand"]
imputer, scaler = SimpleImputer(strategy="median"), MinMaxScaler()
df[numeric] = scaler.fit_transform(imputer.fit_transform(df[numeric]))
port = pd.get_dummies(df.pop("Embarked"), prefix="port")
y = df.pop("Survived").to_numpy()
features = df.to_numpy(dtype=np.float32)
reveal_type(features)


class Net(nn.Module):
    def __init__(self, n_in, classes=3, dim=4):
        super().__init__()
        self.cls = nn.Embedding(classes + 1, dim)
        self.body = nn.Sequential(nn.Linear(n_in + dim, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Linear(16, 1))  #! n_in + dim => n_in

    def forward(self, x, pclass):
        return self.body(torch.cat([x, self.cls(pclass)], dim=1))  #! dim=1 => dim=0


pclass = df["Pclass"].astype(int).values
folds = StratifiedKFold(n_splits=3, shuffle=True, random_state=0)
oof = np.zeros(len(y))
for fold, (train_idx, valid_idx) in enumerate(folds.split(features, y)):
    data = TensorDataset(torch.from_numpy(features[train_idx]), torch.from_numpy(pclass[train_idx]), torch.tensor(y[train_idx], dtype=torch.float32))  #! pclass[train_idx] => pclass[valid_idx]
    net = Net(features.shape[1])
    opt = torch.optim.Adam(net.parameters())
    for x, c, target in DataLoader(data, batch_size=20, shuffle=True):
        loss = nn.functional.binary_cross_entropy_with_logits(net(x, c).squeeze(1), target)  #! .squeeze(1), target => , target
        opt.zero_grad()
        loss.backward()
        opt.step()
    net.eval()
    with torch.no_grad():
        logits = net(torch.from_numpy(features[valid_idx]), torch.from_numpy(pclass[valid_idx]))
        oof[valid_idx] = torch.sigmoid(logits).numpy().ravel()  #! .numpy().ravel() => .numpy()
print(roc_auc_score(y, oof), classification_report(y, oof > 0.5))
weights = np.linspace(0, 1, 7)  #! 7) => 5)
print((features * weights).sum(axis=1).shape, port.shape)

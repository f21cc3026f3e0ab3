# Kaggle-style tabular classification.
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.metrics import confusion_matrix
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelEncoder, StandardScaler
from torch.utils.data import DataLoader, Dataset

SEED = 7
np.random.seed(SEED)
torch.manual_seed(SEED)


def load_frame(n=200):
    df = pd.DataFrame(np.random.randn(n, 4), columns=["acid", "sugar", "ph", "alcohol"])
    df["colour"] = pd.Series(["red", "white", "rose", "red", "white"] * (n // 5))
    df["region"] = pd.Series(["north", "south"] * (n // 2))
    df["quality"] = pd.Series(["low", "mid", "high", "top"] * (n // 4))
    df["id"] = range(n)
    return df


df = load_frame()
df = df.drop(columns=["id"])  #! columns=["id"] => columns=["id", "ph"]
df = pd.get_dummies(df, columns=["colour", "region"], dtype=float)
encoder = LabelEncoder()
y = encoder.fit_transform(df.pop("quality"))
X = df.values
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.25, random_state=SEED, stratify=y)
scaler = StandardScaler()
X_train[:, :4] = scaler.fit_transform(X_train[:, :4])
X_test[:, :4] = scaler.transform(X_test[:, :4])  #! scaler.transform(X_test[:, :4]) => scaler.transform(X_test[:, :3])
reveal_type(X_train)


class WineDataset(Dataset):
    def __init__(self, features, targets):
        self.features = torch.tensor(features, dtype=torch.float32)
        self.targets = torch.tensor(targets, dtype=torch.long)

    def __len__(self):
        return self.features.shape[0]

    def __getitem__(self, idx):
        return self.features[idx], self.targets[idx]  #! self.targets[idx] => self.targets[idx:idx + 1]


class WineNet(nn.Module):
    def __init__(self, n_features, n_classes, p=0.2):
        super().__init__()
        self.fc1 = nn.Linear(n_features, 32)
        self.bn1 = nn.BatchNorm1d(32)  #! BatchNorm1d(32) => BatchNorm1d(64)
        self.fc2 = nn.Linear(32, 16)  #! Linear(32, 16) => Linear(16, 32)
        self.out = nn.Linear(16, n_classes)
        self.drop = nn.Dropout(p)

    def forward(self, x):
        x = self.drop(torch.relu(self.bn1(self.fc1(x))))
        x = torch.relu(self.fc2(x))
        return self.out(x)


model = WineNet(9, len(encoder.classes_))  #! WineNet(9 => WineNet(8
train_loader = DataLoader(WineDataset(X_train, y_train), batch_size=32, shuffle=True)
test_loader = DataLoader(WineDataset(X_test, y_test), batch_size=32)
criterion = nn.CrossEntropyLoss(weight=torch.ones(4))  #! torch.ones(4) => torch.ones(3)
optimizer = torch.optim.AdamW(model.parameters())
for epoch in range(3):
    model.train()
    running = 0.0
    for xb, yb in train_loader:
        optimizer.zero_grad()
        logits = model(xb)
        loss = criterion(logits, yb)
        loss.backward()
        optimizer.step()
        running += loss.item() * xb.size(0)
    print(epoch, running / len(train_loader.dataset))
model.eval()
preds, truth = [], []
with torch.no_grad():
    for xb, yb in test_loader:
        preds.extend(model(xb).argmax(1).tolist())
        truth.extend(yb.tolist())
cm = confusion_matrix(truth, preds, labels=[0, 1, 2, 3])
reveal_type(cm)
recall = cm.diagonal() / cm.sum(axis=1)
weights = np.array([1.0, 2.0, 2.0, 1.0])  #! 2.0, 1.0] => 1.0]
print((recall * weights).sum())

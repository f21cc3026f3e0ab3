"""Tabular data with pandas: categories to embeddings, numeric columns scaled, a transformer over columns, dictionaries of columns."""
import numpy as np
import pandas as pd
import torch
import torch.nn as nn
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler
from torch.utils.data import DataLoader, Dataset

rng = np.random.default_rng(7)
N = 200
df = pd.DataFrame({
    "age": rng.integers(18, 80, N),
    "income": rng.normal(50, 10, N),
    "hours": rng.normal(40, 5, N),
    "job": rng.choice(["clerk", "driver", "nurse", "cook"], N),
    "city": rng.choice(["a", "b", "c"], N),
    "target": rng.integers(0, 2, N),
})
CAT = ["job", "city"]
NUM = [c for c in df.columns if c not in CAT + ["target"]]

for c in CAT:
    df[c] = df[c].astype("category").cat.codes
train_df, test_df = train_test_split(df, test_size=0.25, random_state=0, stratify=df["target"])
scaler = StandardScaler()
train_num = scaler.fit_transform(train_df[NUM]).astype("float32")
test_num = scaler.transform(test_df[NUM]).astype("float32")  #! test_df[NUM] => test_df[CAT]


class Rows(Dataset):
    def __init__(self, numeric, frame):
        self.numeric = torch.from_numpy(numeric)
        self.categorical = torch.tensor(frame[CAT].to_numpy(), dtype=torch.long)  #! frame[CAT] => frame[CAT + ["target"]]
        self.y = torch.tensor(frame["target"].values, dtype=torch.float32)

    def __len__(self):
        return len(self.y)

    def __getitem__(self, i):
        return {"num": self.numeric[i], "cat": self.categorical[i], "y": self.y[i]}


class FeatureTokenizer(nn.Module):
    def __init__(self, n_num, cardinalities, dim):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(n_num, dim) * 0.1)  #! n_num, dim => dim, n_num
        self.bias = nn.Parameter(torch.zeros(n_num, dim))
        self.embeddings = nn.ModuleDict({name: nn.Embedding(card, dim) for name, card in cardinalities.items()})
        self.cls = nn.Parameter(torch.zeros(1, 1, dim))

    def forward(self, num, cat):
        x = num.unsqueeze(-1) * self.weight + self.bias  #! num.unsqueeze(-1) => num.unsqueeze(0)
        tokens = [emb(cat[:, i]) for i, emb in enumerate(self.embeddings.values())]
        c = torch.stack(tokens, dim=1)  #! torch.stack(tokens, dim=1) => torch.cat(tokens, dim=1)
        return torch.cat([self.cls.expand(len(num), -1, -1), x, c], dim=1)  #! self.cls.expand(len(num), -1, -1) => self.cls


class FTTransformer(nn.Module):
    def __init__(self, n_num, cardinalities, dim=32, heads=4, layers=2):
        super().__init__()
        self.tokenizer = FeatureTokenizer(n_num, cardinalities, dim)
        layer = nn.TransformerEncoderLayer(dim, heads, dim * 2, batch_first=True, norm_first=True, dropout=0.1)
        self.encoder = nn.TransformerEncoder(layer, layers, enable_nested_tensor=False)
        self.head = nn.Sequential(nn.LayerNorm(dim), nn.ReLU(), nn.Linear(dim, 1))  #! nn.LayerNorm(dim) => nn.LayerNorm(n_num)

    def forward(self, batch):
        tokens = self.encoder(self.tokenizer(batch["num"], batch["cat"]))
        return self.head(tokens[:, 0]).squeeze(-1)  #! tokens[:, 0] => tokens[:, :, 0]


cards = {c: int(df[c].max()) + 1 for c in CAT}
model = FTTransformer(len(NUM), cards)
train_loader = DataLoader(Rows(train_num, train_df), batch_size=32, shuffle=True, drop_last=False)
test_loader = DataLoader(Rows(test_num, test_df), batch_size=64)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
criterion = nn.BCEWithLogitsLoss()
history = {"loss": [], "auc": []}
for epoch in range(2):
    for batch in train_loader:
        logits = model(batch)
        loss = criterion(logits, batch["y"])  #! batch["y"] => batch["y"].unsqueeze(1)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        history["loss"].append(loss.item())
    with torch.no_grad():
        scores, truth = zip(*[(model(b).sigmoid(), b["y"]) for b in test_loader])
    scores, truth = torch.cat(scores), torch.cat(truth)
    history["auc"].append(((scores[truth == 1][:, None] > scores[truth == 0][None]).float().mean()).item())
reveal_type(scores)
reveal_type(batch["num"])
reveal_type(model.tokenizer(batch["num"], batch["cat"]))
result = test_df.copy()
result["score"] = scores.numpy()  #! scores.numpy() => scores.numpy()[:-1]
means = result.groupby("city")["score"].mean()
columns = {name: torch.tensor(train_df[name].values) for name in NUM}
matrix = torch.stack([v.float() for v in columns.values()], dim=1)
reveal_type(matrix)
cov = matrix.T @ matrix / len(matrix)  #! matrix.T @ matrix => matrix @ matrix
reveal_type(cov)
w = torch.linalg.solve(cov + 1e-3 * torch.eye(len(NUM)), matrix.T @ torch.tensor(train_df["target"].values).float())  #! torch.eye(len(NUM)) => torch.eye(len(CAT))
reveal_type(w)
corr = np.corrcoef(df[NUM].to_numpy(), rowvar=False)
reveal_type(corr)
print(corr @ np.ones(len(NUM)), means)  #! np.ones(len(NUM)) => np.ones(N)

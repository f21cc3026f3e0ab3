import numpy as np
import pandas as pd
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split

rng = np.random.RandomState(0)
ratings = pd.DataFrame({
    "user_id": rng.choice(["u%d" % i for i in range(30)], 400),
    "movie_id": rng.choice(["m%d" % i for i in range(25)], 400),
    "rating": rng.randint(1, 6, 400),
    "timestamp": np.arange(400),
}).drop_duplicates(["user_id", "movie_id"])
movies = pd.DataFrame({"movie_id": ["m%d" % i for i in range(25)], "year": 1990 + np.arange(25), "length": rng.rand(25) * 60 + 80})

df = ratings.merge(movies, on="movie_id", how="left")
df["user"], users = pd.factorize(df["user_id"])
df["movie"], titles = pd.factorize(df["movie_id"])
df["age"] = 2020 - df["year"]
df["user_mean"] = df.groupby("user")["rating"].transform("mean")
df["n_seen"] = df.groupby("user")["movie"].transform("count")
dense = ["age", "length", "user_mean", "n_seen"]  #! "user_mean", "n_seen" => "user_mean"
df[dense] = (df[dense] - df[dense].mean()) / (df[dense].std() + 1e-6)
df = df.sort_values("timestamp").reset_index(drop=True)
reveal_type(df[dense].to_numpy())


class Hybrid(nn.Module):
    def __init__(self, n_users, n_movies, n_dense=4, dim=12):
        super().__init__()
        self.user, self.movie = nn.Embedding(n_users, dim), nn.Embedding(n_movies, dim)  #! nn.Embedding(n_movies, dim) => nn.Embedding(n_movies, 2 * dim)
        self.user_bias, self.movie_bias = nn.Embedding(n_users, 1), nn.Embedding(n_movies, 1)
        self.dense = nn.Sequential(nn.Linear(n_dense, 16), nn.ReLU(), nn.Linear(16, dim))  #! nn.Linear(16, dim) => nn.Linear(dim, dim)
        self.mu = nn.Parameter(torch.zeros(1))

    def forward(self, user, movie, dense):
        u = self.user(user) + self.dense(dense)
        m = self.movie(movie)
        dot = (u * m).sum(dim=1)  #! (u * m).sum(dim=1) => u @ m
        return dot + self.user_bias(user).squeeze(1) + self.movie_bias(movie).squeeze(1) + self.mu


data = TensorDataset(torch.from_numpy(df["user"].values), torch.from_numpy(df["movie"].to_numpy()),
                     torch.tensor(df[dense].values, dtype=torch.float32), torch.tensor(df.rating.values, dtype=torch.float32))  #! df[dense].values => df[dense].values.T
n_val = int(0.1 * len(data))
train, val = random_split(data, [len(data) - n_val, n_val], generator=torch.Generator().manual_seed(0))
model = Hybrid(len(users), len(titles))
optimizer = torch.optim.Adagrad(model.parameters(), lr=0.05)
for epoch in range(2):
    for u, m, d, r in DataLoader(train, batch_size=64, shuffle=True):
        prediction = model(u, m, d)
        loss = nn.MSELoss()(prediction, r)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

model.eval()
preds, targets = [], []
with torch.no_grad():
    for u, m, d, r in DataLoader(val, batch_size=16):
        preds.append(model(u, m, d).numpy())
        targets.append(r.numpy())
preds, targets = np.concatenate(preds), np.concatenate(targets)
rmse = np.sqrt(((preds - targets) ** 2).mean())
with torch.no_grad():
    scores = model.user.weight @ model.movie.weight.T  #! model.movie.weight.T => model.movie.weight
    scores += model.movie_bias.weight.T  #! model.movie_bias.weight.T => model.movie_bias.weight
    top = scores.topk(5, dim=1).indices
reveal_type(top)
seen = torch.zeros(len(users), len(titles), dtype=torch.bool)
seen[torch.tensor(df["user"].values), torch.tensor(df["movie"].values)] = True
hits = seen.gather(1, top).float().mean(dim=1)
by_user = pd.Series(hits.numpy(), index=users).sort_values(ascending=False)
print(rmse, by_user.head(3), titles[top[0].numpy()])

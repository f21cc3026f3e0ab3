"""K-fold splits with Subset and SubsetRandomSampler, stacked out-of-fold predictions, batches by index tensors, an ensemble stored in a dict."""
import numpy as np
import torch
import torch.nn as nn
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.preprocessing import MinMaxScaler, OneHotEncoder
from torch.utils.data import ConcatDataset, DataLoader, Dataset, SubsetRandomSampler, TensorDataset

config = dict(n=150, numeric=6, cats=(4, 3), folds=5, hidden=[32, 16], dropout=0.1, epochs=1, batch=16)


class Frame(Dataset):
    def __init__(self, x, y, noise=0.0):
        self.x = torch.as_tensor(x, dtype=torch.float32)
        self.y = torch.as_tensor(y)
        self.noise = noise

    def __len__(self):
        return self.x.shape[0]

    def __getitem__(self, item):
        row = self.x[item]
        if self.noise:
            row = row + torch.randn_like(row) * self.noise
        return dict(x=row, y=self.y[item])


def make_model(inputs, outputs, hidden, dropout):
    layers = []
    for width in hidden:
        layers.extend([nn.Linear(inputs, width), nn.BatchNorm1d(width), nn.PReLU(width), nn.Dropout(dropout)])  #! nn.PReLU(width) => nn.PReLU(inputs)
        inputs = width
    layers.append(nn.Linear(inputs, outputs))
    return nn.Sequential(*layers)


class SWA:
    def __init__(self, model):
        self.n, self.state = 0, {k: torch.zeros_like(v) for k, v in model.state_dict().items()}

    def update(self, model):
        self.n += 1
        for k, v in model.state_dict().items():
            self.state[k] = self.state[k] + (v - self.state[k]) / self.n


def fit(model, loader, epochs):
    optimizer = torch.optim.Adam(model.parameters(), lr=5e-3)
    scheduler = torch.optim.lr_scheduler.OneCycleLR(optimizer, 5e-3, total_steps=max(1, epochs * len(loader)))
    swa = SWA(model)
    for epoch in range(epochs):
        model.train()
        for batch in loader:
            optimizer.zero_grad()
            out = model(batch["x"])
            loss = nn.functional.cross_entropy(out, batch["y"])  #! out, batch["y"] => out[:, 0], batch["y"]
            loss.backward()
            optimizer.step()
            scheduler.step()
        swa.update(model)
    return out, swa


@torch.no_grad()
def predict(model, data, batch):
    model.eval()
    out = [model(b["x"]).softmax(1) for b in DataLoader(data, batch_size=batch, shuffle=False)]
    return torch.cat(out).numpy()  #! torch.cat(out) => torch.stack(out)


def main(cfg):
    rng = np.random.RandomState(0)
    numeric = rng.randn(cfg["n"], cfg["numeric"])
    cats = np.stack([rng.randint(0, c, cfg["n"]) for c in cfg["cats"]], axis=1)  #! axis=1 => axis=0
    y = rng.randint(0, 3, cfg["n"])
    onehot = np.concatenate([np.eye(c)[cats[:, i]] for i, c in enumerate(cfg["cats"])], axis=1)  #! axis=1 => axis=0
    x = np.hstack([MinMaxScaler().fit_transform(numeric), onehot])
    reveal_type(x)
    data = Frame(x, y)
    oof = np.zeros((cfg["n"], 3))
    ensemble = {}
    for fold, (tr, va) in enumerate(StratifiedKFold(cfg["folds"], shuffle=True, random_state=1).split(x, y)):
        model = make_model(x.shape[1], 3, cfg["hidden"], cfg["dropout"])  #! x.shape[1], 3 => cfg["numeric"], 3
        loader = DataLoader(data, batch_size=cfg["batch"], sampler=SubsetRandomSampler(tr), drop_last=True)
        out, swa = fit(model, loader, cfg["epochs"])
        model.load_state_dict(swa.state)
        held = Frame(x[va], y[va])
        oof[va] = predict(model, held, 32)  #! oof[va] => oof[tr]
        ensemble[f"fold{fold}"] = model
    reveal_type(out)
    acc = (oof.argmax(1) == y).mean()
    test = torch.rand(21, x.shape[1])
    votes = torch.stack([m(test).softmax(-1) for m in ensemble.values()])
    reveal_type(votes)
    weights = torch.softmax(torch.randn(cfg["folds"]), 0)
    blended = torch.einsum("f,fnc->nc", weights, votes)  #! "f,fnc->nc" => "n,fnc->nc"
    reveal_type(blended)
    pseudo = TensorDataset(test, blended.argmax(1).detach())  #! blended.argmax(1) => blended.argmax(0)
    joined = ConcatDataset([TensorDataset(data.x, data.y), pseudo])
    print(len(joined), acc)
    for xb, yb in DataLoader(joined, batch_size=57):
        pass
    reveal_type(xb)
    student = make_model(x.shape[1], 3, [8], 0.0)
    print(nn.functional.nll_loss(student(xb).log_softmax(1), yb))  #! student(xb) => student(xb[:, 1:])
    order = torch.randperm(len(data))
    for chunk in order.split(40):
        part = data.x[chunk]
    reveal_type(part)
    means = torch.stack([data.x[data.y == c].mean(0) for c in range(3)])
    reveal_type(means)
    print(torch.cdist(data.x, means).argmin(1).eq(data.y).float().mean(), OneHotEncoder, KFold)  #! torch.cdist(data.x, means) => torch.cdist(data.x, means.T)


if __name__ == "__main__":
    main(config)

"""A research script without functions: arrays on disk, normalisation, a network of layers from a list, early stopping."""
import argparse
import math
import os
import random
import tempfile
import time

import numpy as np
import torch
import torch.nn as nn
import torch.optim as optim

parser = argparse.ArgumentParser(description="Regression from arrays")
parser.add_argument("--hidden", type=int, nargs="+", default=[64, 32])
parser.add_argument("--lr", type=float, default=1e-3)
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--batch-size", type=int, default=50)
parser.add_argument("--dropout", type=float, default=0.1)
parser.add_argument("--activation", choices=["relu", "tanh", "gelu"], default="relu")
parser.add_argument("--no-cuda", action="store_true")
parser.add_argument("--patience", type=int, default=2)
args = parser.parse_args()
device = torch.device("cuda" if torch.cuda.is_available() and not args.no_cuda else "cpu")

random.seed(1)
np.random.seed(1)
torch.manual_seed(1)

n_samples, n_features, n_targets = 330, 12, 3
folder = tempfile.mkdtemp()
X = np.random.randn(n_samples, n_features).astype(np.float32)
W = np.random.randn(n_features, n_targets)
Y = X @ W + 0.1 * np.random.randn(n_samples, n_targets)  #! randn(n_samples, n_targets) => randn(n_samples, n_features)
np.savez(os.path.join(folder, "data.npz"), x=X, y=Y.astype("float32"))

mean, std = X.mean(axis=0), X.std(axis=0) + 1e-6  #! X.mean(axis=0) => X.mean(axis=1)
X = (X - mean) / std
order = np.random.permutation(n_samples)
n_train = int(0.8 * n_samples)
train_index, test_index = order[:n_train], order[n_train:]
x_train, y_train = X[train_index], Y[train_index]
x_test, y_test = X[test_index], Y[test_index]

layers = []
previous = n_features
for width in args.hidden:
    layers += [nn.Linear(previous, width), {"relu": nn.ReLU, "tanh": nn.Tanh, "gelu": nn.GELU}[args.activation]()]
    if args.dropout > 0:
        layers.append(nn.Dropout(args.dropout))
    previous = width  #! = width => = width * 2
layers.append(nn.Linear(previous, n_targets))
model = nn.Sequential(*layers).to(device)
print(sum(p.numel() for p in model.parameters() if p.requires_grad), "parameters")

optimizer = optim.Adam(model.parameters(), lr=args.lr)
criterion = nn.MSELoss(reduction="none")
weights = torch.tensor([1.0, 0.5, 0.25], device=device)

best, bad, history = math.inf, 0, []
for epoch in range(args.epochs):
    start = time.time()
    model.train()
    total = 0.0
    index = np.random.permutation(len(x_train))
    for i in range(0, len(index), args.batch_size):
        rows = index[i : i + args.batch_size]
        xb = torch.from_numpy(x_train[rows]).float().to(device)
        yb = torch.from_numpy(y_train[rows]).float().to(device)
        optimizer.zero_grad()
        loss = (criterion(model(xb), yb) * weights).mean()  #! * weights) => * weights[:2])
        loss.backward()
        optimizer.step()
        total += loss.item() * len(rows)
    model.eval()
    with torch.no_grad():
        pred = model(torch.as_tensor(x_test, dtype=torch.float32, device=device))
        reveal_type(pred)
        errors = np.sqrt(((pred.cpu().numpy() - y_test) ** 2).mean(0))
        reveal_type(errors)
    history.append((epoch, total / len(index), *errors.tolist()))
    if errors.mean() < best:
        best, bad = errors.mean(), 0
        torch.save(model.state_dict(), os.path.join(folder, "best.pt"))
    else:
        bad += 1
        if bad >= args.patience:
            break
    print(f"{epoch:3d} {total / len(index):.4f} {errors.mean():.4f} {time.time() - start:.1f}s")

model.load_state_dict(torch.load(os.path.join(folder, "best.pt")))
table = np.array(history)
reveal_type(table[:, 2:])
correlation = np.corrcoef(pred.cpu().numpy().T, y_test.T)
reveal_type(correlation)
residual = y_test - pred.cpu().numpy()
reveal_type(np.quantile(residual, [0.1, 0.5, 0.9], axis=0))
worst = np.argsort(np.abs(residual).sum(axis=1))[-5:]
reveal_type(x_test[worst])

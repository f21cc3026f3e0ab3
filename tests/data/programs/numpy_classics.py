"""Classics in NumPy beside torch: k-means++, PCA by SVD, a Gaussian mixture by EM, ridge regression, a kernel SVM by sub-gradients, then an autoencoder."""
import functools
import numpy as np
import torch
from torch import nn


def make_blobs(n, k, d, rng):
    centers = rng.normal(scale=5, size=(k, d))
    labels = rng.integers(k, size=n)
    return centers[labels] + rng.normal(size=(n, d)), labels


def pairwise_sq(a, b):
    return (a ** 2).sum(1)[:, None] + (b ** 2).sum(1)[None] - 2 * a @ b.T  #! [:, None] + => +


def kmeans(x, k, rng, iters=5):
    centers = x[rng.choice(len(x), 1)]
    while len(centers) < k:
        d = pairwise_sq(x, centers).min(axis=1).clip(min=0)
        centers = np.vstack([centers, x[rng.choice(len(x), p=d / d.sum())]])
    for _ in range(iters):
        assign = pairwise_sq(x, centers).argmin(axis=1)
        centers = np.stack([x[assign == j].mean(axis=0) if (assign == j).any() else centers[j] for j in range(k)])  #! .mean(axis=0) if => .mean(axis=1) if
    return centers, assign


class PCA:
    def __init__(self, n_components):
        self.n = n_components

    def fit(self, x):
        self.mean = x.mean(0)
        u, s, vt = np.linalg.svd(x - self.mean, full_matrices=False)
        self.components = vt[:self.n]  #! vt[:self.n] => vt[:, :self.n]
        self.explained = s[:self.n] ** 2 / (len(x) - 1)
        return self

    def transform(self, x):
        return (x - self.mean) @ self.components.T

    def inverse(self, z):
        return z @ self.components + self.mean


class GMM:
    def __init__(self, k):
        self.k = k

    def _log_prob(self, x):
        d = x.shape[1]
        out = np.empty((len(x), self.k))
        for j in range(self.k):
            chol = np.linalg.cholesky(self.cov[j])
            y = np.linalg.solve(chol, (x - self.mu[j]).T)  #! (x - self.mu[j]).T => (x - self.mu[j])
            out[:, j] = -0.5 * (y ** 2).sum(axis=0) - np.log(np.diag(chol)).sum() - 0.5 * d * np.log(2 * np.pi)  #! (y ** 2).sum(axis=0) => (y ** 2).sum(axis=1)
        return out + np.log(self.pi)

    def fit(self, x, init, iters=4):
        n, d = x.shape
        self.mu, self.pi = init.copy(), np.full(self.k, 1 / self.k)
        self.cov = np.tile(np.eye(d), (self.k, 1, 1))
        for _ in range(iters):
            lp = self._log_prob(x)
            top = lp.max(axis=1, keepdims=True)
            r = np.exp(lp - top)
            r /= r.sum(axis=1, keepdims=True)
            nk = r.sum(axis=0) + 1e-6
            self.pi = nk / n
            self.mu = r.T @ x / nk[:, None]  #! nk[:, None] => nk
            diff = x[None] - self.mu[:, None]
            self.cov = np.einsum("nk,kni,knj->kij", r, diff, diff) / nk[:, None, None] + 1e-3 * np.eye(d)  #! nk,kni,knj->kij => kn,kni,knj->kij
        return r


def ridge(x, y, lam=1e-2):
    xb = np.hstack([x, np.ones((x.shape[0], 1))])  #! np.ones((x.shape[0], 1)) => np.ones((1, x.shape[0]))
    a = xb.T @ xb + lam * np.eye(xb.shape[1])
    return np.linalg.solve(a, xb.T @ y)


def rbf(a, b, gamma=0.1):
    return np.exp(-gamma * pairwise_sq(a, b))


def kernel_svm(k, y, c=1.0, lr=0.01, steps=20):
    alpha = np.zeros(len(y))
    for _ in range(steps):
        margin = y * (k @ alpha)
        active = margin < 1
        grad = k @ alpha - c * (k[:, active] @ y[active])  #! k[:, active] @ => k[active] @
        alpha -= lr * grad
    return alpha


class AutoEncoder(nn.Module):
    def __init__(self, d, z, hidden=16):
        super().__init__()
        mlp = lambda *s: nn.Sequential(*[m for a, b in zip(s, s[1:]) for m in (nn.Linear(a, b), nn.Tanh())][:-1])
        self.encode, self.decode = mlp(d, hidden, z), mlp(z, hidden, d)  #! mlp(z, hidden, d) => mlp(hidden, z, d)

    def forward(self, x):
        z = self.encode(x)
        return self.decode(z), z


rng = np.random.default_rng(0)
x, labels = make_blobs(120, 4, 6, rng)
centers, assign = kmeans(x, 4, rng)
reveal_type(centers)
pca = PCA(2).fit(x)
z = pca.transform(x)
reveal_type(z)
error = ((pca.inverse(z) - x) ** 2).mean()
gmm = GMM(4)
r = gmm.fit(x, centers)
reveal_type(r)
reveal_type(gmm.cov)
confusion = np.zeros((4, 4), dtype=int)
np.add.at(confusion, (labels, r.argmax(1)), 1)
y = np.eye(4)[labels]
w = ridge(x, y)
reveal_type(w)
k = rbf(x[:80], x[:80])
alpha = kernel_svm(k, np.where(labels[:80] > 1, 1.0, -1.0))  #! labels[:80] => labels
scores = rbf(x[80:], x[:80]) @ alpha
reveal_type(scores)
order = np.lexsort((scores, labels[80:]))
table = np.column_stack([labels[80:][order], scores[order]])
reveal_type(table)
folds = np.array_split(rng.permutation(len(x)), 5)
for i, fold in enumerate(folds):
    rest = np.concatenate([f for j, f in enumerate(folds) if j != i])
    wf = ridge(x[rest], y[rest])
    pred = np.c_[x[fold], np.ones(len(fold))] @ wf
reveal_type(pred)
net = AutoEncoder(6, 2)
opt = torch.optim.Adam(net.parameters(), lr=1e-2)
data = torch.as_tensor((x - x.mean(0)) / x.std(0), dtype=torch.float32)
for chunk in data.split(32):
    out, code = net(chunk)
    loss = nn.functional.mse_loss(out, chunk) + 1e-3 * torch.cdist(code, torch.from_numpy(z).float()[:32][:len(code)]).mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
with torch.no_grad():
    codes = torch.cat([net(c)[1] for c in torch.chunk(data, 3)])
reveal_type(codes)

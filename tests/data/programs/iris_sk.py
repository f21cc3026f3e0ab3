import argparse

import numpy as np
import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits, load_iris
from sklearn.decomposition import PCA
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import LabelBinarizer, StandardScaler
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

SETS = {"iris": load_iris, "digits": load_digits}


def get_args():
    parser = argparse.ArgumentParser(fromfile_prefix_chars="@")
    parser.add_argument("--dataset", choices=sorted(SETS), default="digits")
    parser.add_argument("--components", type=int, default=20)
    parser.add_argument("--units", type=lambda s: [int(u) for u in s.split("x")], default="30x15")
    parser.add_argument("--test-fraction", type=float, default=0.2)
    return parser.parse_args()


def main():
    args = get_args()
    bunch = SETS[args.dataset]()
    X, y = bunch.data, bunch.target
    X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=args.test_fraction, random_state=1)
    scaler = StandardScaler().fit(X_train)
    pca = PCA(n_components=args.components)
    Z_train = pca.fit_transform(scaler.transform(X_train))
    Z_test = pca.transform(scaler.transform(X_test))  #! scaler.transform(X_test) => scaler.transform(X_test)[:, 1:]
    reveal_type(Z_train)
    onehot = LabelBinarizer()
    T_train = onehot.fit_transform(y_train)
    widths = [args.components] + args.units  #! [args.components] => [X.shape[1]]
    layers = []
    for i in range(1, len(widths)):
        layers.extend([nn.Linear(widths[i - 1], widths[i]), nn.Tanh()])
    layers.append(nn.Linear(widths[-1], 10))  #! widths[-1] => widths[1]
    model = nn.Sequential(*layers)
    data = TensorDataset(torch.as_tensor(Z_train, dtype=torch.float32), torch.as_tensor(T_train).float(), torch.as_tensor(y_train))  #! torch.as_tensor(y_train)) => torch.as_tensor(y_test))
    opt = torch.optim.LBFGS(model.parameters(), max_iter=3)
    for z, t, label in DataLoader(data, batch_size=256, drop_last=True):
        reveal_type(z)

        def closure():
            opt.zero_grad()
            logits = model(z)
            loss = F.cross_entropy(logits, t) + 0.1 * F.nll_loss(F.log_softmax(logits, dim=1), label)  #! label) => t)
            loss.backward()
            return loss

        opt.step(closure)
    with torch.no_grad():
        logits = model(torch.from_numpy(Z_test).float())
    accuracy = (logits.argmax(dim=1).numpy() == y_test).mean()
    restored = scaler.inverse_transform(pca.inverse_transform(Z_test))
    error = np.abs(restored - X_test).mean(axis=0)  #! X_test => X_train
    reveal_type(error)
    print(accuracy, error.reshape(8, 8))  #! reshape(8, 8) => reshape(4, 8)


if __name__ == "__main__":
    main()

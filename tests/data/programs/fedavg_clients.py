"""Federated averaging: clients with skewed data, local training, weighted averages of state dictionaries, top-k compressed updates."""
import copy
from typing import Dict, List
import numpy as np
import torch
import torch.nn as nn
from torch.utils.data import DataLoader, Subset, TensorDataset


class CNN(nn.Module):
    def __init__(self, in_features=1, num_classes=10, dim=256):
        super().__init__()
        self.conv1 = nn.Sequential(nn.Conv2d(in_features, 8, kernel_size=5, padding=0, stride=1, bias=True), nn.ReLU(inplace=True), nn.MaxPool2d(kernel_size=(2, 2)))
        self.conv2 = nn.Sequential(nn.Conv2d(8, 16, kernel_size=5), nn.ReLU(inplace=True), nn.MaxPool2d(kernel_size=(2, 2)))
        self.fc1 = nn.Sequential(nn.Linear(dim, 32), nn.ReLU(inplace=True))
        self.fc = nn.Linear(32, num_classes)  #! nn.Linear(32, num_classes) => nn.Linear(dim, num_classes)

    def forward(self, x):
        out = self.conv1(x)
        out = self.conv2(out)
        out = torch.flatten(out, 1)
        out = self.fc1(out)
        return self.fc(out)


def dirichlet_split(labels: np.ndarray, n_clients: int, alpha: float, rng) -> List[np.ndarray]:
    n_classes = labels.max() + 1
    proportions = rng.dirichlet([alpha] * n_clients, size=n_classes)
    parts = [[] for _ in range(n_clients)]
    for c in range(n_classes):
        idx = np.where(labels == c)[0]
        cuts = (np.cumsum(proportions[c])[:-1] * len(idx)).astype(int)
        for part, chunk in zip(parts, np.split(idx, cuts)):
            part.append(chunk)
    return [np.concatenate(p) for p in parts]


class Client:
    def __init__(self, cid, dataset, model, lr=0.05):
        self.cid, self.dataset, self.lr = cid, dataset, lr
        self.model = copy.deepcopy(model)
        self.loss = nn.CrossEntropyLoss()
        self.control = [torch.zeros_like(p) for p in self.model.parameters()]

    def set_parameters(self, model):
        for new, old in zip(model.parameters(), self.model.parameters()):
            old.data = new.data.clone()

    def train(self, epochs=1, mu=0.01):
        loader = DataLoader(self.dataset, batch_size=8, shuffle=True)
        optimizer = torch.optim.SGD(self.model.parameters(), lr=self.lr)
        anchor = [p.detach().clone() for p in self.model.parameters()]
        for _ in range(epochs):
            for x, y in loader:
                output = self.model(x)
                loss = self.loss(output, y)  #! self.loss(output, y) => self.loss(output, y.unsqueeze(1))
                proximal = sum(((p - a) ** 2).sum() for p, a in zip(self.model.parameters(), anchor))
                loss = loss + mu / 2 * proximal
                optimizer.zero_grad()
                loss.backward()
                for p, c in zip(self.model.parameters(), self.control):
                    p.grad += c
                optimizer.step()
        return self.model.state_dict(), len(self.dataset)


def average(states: List[Dict[str, torch.Tensor]], sizes: List[int]):
    total = sum(sizes)
    result = copy.deepcopy(states[0])
    for key in result:
        result[key] = sum(s[key] * (n / total) for s, n in zip(states, sizes))
    return result


def compress(update: Dict[str, torch.Tensor], ratio=0.1):
    """Keeps the largest entries of each tensor."""
    packed = {}
    for name, delta in update.items():
        flat = delta.flatten()
        k = max(1, int(flat.numel() * ratio))
        values, indices = flat.abs().topk(k)
        packed[name] = (flat[indices], indices, delta.shape)
    return packed


def decompress(packed):
    out = {}
    for name, (values, indices, shape) in packed.items():
        flat = torch.zeros(shape.numel())
        out[name] = flat.scatter(0, indices, values).view(shape)  #! .view(shape) => .view(shape[0], -1, 2)
    return out


def evaluate(model, x, y):
    model.eval()
    with torch.no_grad():
        out = model(x)
        correct = (out.argmax(1) == y).sum()  #! out.argmax(1) => out.argmax(0)
        per_class = torch.zeros(10).index_add(0, y, (out.argmax(1) == y).float())  #! .index_add(0, y, => .index_add(0, y[:-1],
    reveal_type(per_class)
    return correct.item() / len(y)


rng = np.random.default_rng(1)
labels = rng.integers(0, 10, size=160)
images = rng.normal(size=(160, 1, 28, 28)) + labels[:, None, None, None] / 10  #! labels[:, None, None, None] => labels
X, Y = torch.from_numpy(images.astype(np.float32)), torch.from_numpy(labels)
dataset = TensorDataset(X, Y)
server = CNN()  #! CNN() => CNN(dim=400)
clients = [Client(i, Subset(dataset, part.tolist()), server) for i, part in enumerate(dirichlet_split(labels, 4, 5.0, rng))]
for round_ in range(2):
    states, sizes = [], []
    for client in clients:
        client.set_parameters(server)
        state, n = client.train()
        states.append(state)
        sizes.append(n)
    merged = average(states, sizes)
    delta = {k: merged[k] - v for k, v in server.state_dict().items()}
    small = decompress(compress(delta))
    server.load_state_dict({k: v + small[k] for k, v in server.state_dict().items()})
    evaluate(server, X, Y)  #! evaluate(server, X, Y) => evaluate(server, X[:, 0], Y)
reveal_type(merged["conv2.0.weight"])
reveal_type(small["fc1.0.weight"])
reveal_type(server(X[:3]))

import argparse
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


def train(args, model, loader, optimizer, epoch):
    model.train()
    for i, (x, y) in enumerate(loader):
        optimizer.zero_grad()
        loss = F.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        if i % args.log_interval == 0:
            print(epoch, i, loss.item())
            if args.dry_run:
                break


def test(model, loader):
    model.eval()
    correct = 0
    with torch.no_grad():
        for x, y in loader:
            correct += (model(x).argmax(1) == y).sum().item()
    return correct / len(loader.dataset)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--mode", choices=["train", "eval", "export"], default="train")
    parser.add_argument("--eval", action="store_true")
    parser.add_argument("--dry-run", action="store_true")
    parser.add_argument("--log-interval", type=int, default=10)
    parser.add_argument("--resume", default=None)
    parser.add_argument("--optimizer", default="sgd")
    args = parser.parse_args()
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    data = TensorDataset(torch.rand(64, 8), torch.randint(0, 4, (64,)))
    loader = DataLoader(data, batch_size=16, shuffle=True)
    if args.optimizer == "sgd":
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    elif args.optimizer == "adam":
        optimizer = torch.optim.Adam(model.parameters())
    else:
        raise ValueError(args.optimizer)
    if args.resume:
        state = torch.load(args.resume)
        model.load_state_dict(state)
    if args.eval:
        print(test(model, loader))
        return
    if args.mode == "export":
        torch.save(model.state_dict(), "m.pt")
        return
    best = 0
    for epoch in range(args.epochs):
        train(args, model, loader, optimizer, epoch)
        acc = test(model, loader)
        if acc > best:
            best = acc
            torch.save(model.state_dict(), "best.pt")


if __name__ == "__main__":
    main()

"""A tool with sub-commands that share options: train writes a checkpoint, evaluate reads it."""
import argparse
import os
import sys
import tempfile

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

FOLDER = tempfile.mkdtemp()


class Spirals(Dataset):
    def __init__(self, n, arms, noise=0.1):
        t = torch.linspace(0.1, 1, n).repeat(arms)
        arm = torch.arange(arms).repeat_interleave(n)
        angle = 4 * t + 2 * torch.pi * arm / arms + noise * torch.randn(n * arms)
        self.points = torch.stack([t * angle.sin(), t * angle.cos()], dim=1)  #! dim=1 => dim=0
        self.arm = arm

    def __len__(self):
        return len(self.points)

    def __getitem__(self, i):
        return self.points[i], self.arm[i]


class MLP(nn.Module):
    def __init__(self, width, depth, classes, residual=False):
        super().__init__()
        self.inp = nn.Linear(2, width)
        self.hidden = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])  #! nn.Linear(width, width) => nn.Linear(width, depth)
        self.out = nn.Linear(width, classes)
        self.residual = residual

    def forward(self, x):
        x = torch.tanh(self.inp(x))
        for layer in self.hidden:
            y = torch.tanh(layer(x))
            x = x + y if self.residual else y
        return self.out(x)


def train(args):
    data = Spirals(args.points, args.classes)
    model = MLP(args.width, args.depth, args.classes, args.residual)
    optimizer = torch.optim.Adam(model.parameters(), args.lr)
    for epoch in range(args.epochs):
        for points, arm in DataLoader(data, args.batch_size, shuffle=True):
            loss = nn.functional.cross_entropy(model(points), arm)  #! arm) => arm[:, None])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
    torch.save({"epoch": epoch + 1, "args": vars(args), "state_dict": model.state_dict()}, args.checkpoint)
    return model


def evaluate(args):
    if not os.path.isfile(args.checkpoint):
        train(args)
    checkpoint = torch.load(args.checkpoint, weights_only=False)
    saved = argparse.Namespace(**checkpoint["args"])
    model = MLP(saved.width, saved.depth, saved.classes, saved.residual)  #! saved.width => 2 * saved.width
    model.load_state_dict(checkpoint["state_dict"])
    model.eval()
    data = Spirals(saved.points, saved.classes)
    counts = torch.zeros(saved.classes, saved.classes, dtype=torch.long)
    correct = [0] * len(args.topk)
    with torch.no_grad():
        for points, arm in DataLoader(data, 32):
            logits = model(points)
            reveal_type(logits)
            counts.index_put_((arm, logits.argmax(1)), torch.ones_like(arm), accumulate=True)
            _, guess = logits.topk(max(args.topk), 1)
            hit = guess.t().eq(arm.view(1, -1).expand_as(guess.t()))  #! expand_as(guess.t()) => expand_as(guess)
            for i, k in enumerate(args.topk):
                correct[i] += hit[:k].reshape(-1).float().sum(0)
    reveal_type(counts)
    rates = torch.stack(correct) / len(data)
    print(dict(zip(args.topk, rates.tolist())), counts.diag() / torch.bincount(data.arm, minlength=5))  #! minlength=5 => minlength=6


def main(argv=None):
    shared = argparse.ArgumentParser(add_help=False)
    shared.add_argument("--width", type=int, default=20)
    shared.add_argument("--depth", type=int, default=3)
    shared.add_argument("--classes", type=int, default=5)
    shared.add_argument("--points", type=int, default=20)
    shared.add_argument("--residual", action="store_true")
    shared.add_argument("--checkpoint", default=os.path.join(FOLDER, "model.pt"))
    parser = argparse.ArgumentParser()
    commands = parser.add_subparsers(dest="command")
    p = commands.add_parser("train", parents=[shared])
    p.set_defaults(func=train)
    p = commands.add_parser("evaluate", parents=[shared])
    p.add_argument("--topk", type=int, nargs="*", default=(1, 3))
    p.set_defaults(func=evaluate)
    for p in commands.choices.values():
        p.add_argument("--lr", type=float, default=1e-2)
        p.add_argument("--epochs", type=int, default=2)
        p.add_argument("--batch-size", type=int, default=16)
    args = parser.parse_args(argv if argv is not None else sys.argv[1:] or ["evaluate", "--residual"])
    return args.func(args)


if __name__ == "__main__":
    main()

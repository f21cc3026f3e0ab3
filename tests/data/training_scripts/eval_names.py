import torch
import torch.nn as nn


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(8, 2)

    def forward(self, x):
        if self.training:
            x = nn.functional.dropout(x)
        return self.f(x)


class Large(nn.Module):
    def __init__(self, deep=False):
        super().__init__()
        self.f = nn.Linear(8, 2)
        if deep:
            self.f = nn.Sequential(nn.Linear(8, 8), nn.Linear(8, 2))

    def forward(self, x):
        for _ in range(2):
            x = x + 1
        return self.f(x)


def main(name="Small", steps=3):
    net = eval(name)()
    opt = eval("torch.optim.SGD")(net.parameters(), lr=0.1)
    for _ in range(steps):
        loss = net(torch.rand(4, 8)).sum()
        loss.backward()
        opt.step()


main()

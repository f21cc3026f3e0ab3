import sys
import torch
import torch.nn as nn

REGISTRY = {}


def register(name):
    def add(cls):
        if name in REGISTRY:
            raise KeyError(name)
        REGISTRY[name] = cls
        return cls
    return add


@register("a")
class A(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(8, 2)

    def forward(self, x, mask=None):
        if mask is not None:
            x = x * mask
        return self.f(x)


@register("b")
class B(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(8, 2)

    def forward(self, x):
        if x.dim() == 3:
            x = x.mean(1)
        return self.f(x)


def build(name):
    if name not in REGISTRY:
        for known in REGISTRY:
            print(known)
        sys.exit("unknown " + name)
    return REGISTRY[name]()


if __name__ == "__main__":
    net = build(sys.argv[1])
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(3):
        loss = net(torch.rand(4, 8)).sum()
        loss.backward()
        opt.step()

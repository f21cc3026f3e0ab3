import fire
import torch
import torch.nn as nn


class App:
    def __init__(self, width=8):
        self.net = nn.Linear(width, 2)
        self.width = width

    def train(self, steps=3, clip=None):
        opt = torch.optim.SGD(self.net.parameters(), lr=0.1)
        for i in range(steps):
            loss = self.net(torch.rand(4, self.width)).sum()
            loss.backward()
            if clip is not None:
                nn.utils.clip_grad_norm_(self.net.parameters(), clip)
            opt.step()

    def sample(self, n=4):
        for i in range(n):
            print(self.net(torch.rand(1, self.width)))


if __name__ == "__main__":
    fire.Fire(App)

import argparse
import torch
import torch.nn as nn


class Solver:
    def __init__(self, config):
        self.config = config
        self.net = nn.Linear(8, 2)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def batches(self):
        for _ in range(10):
            yield torch.rand(4, 8), torch.randint(0, 2, (4,))

    def train(self):
        for step, (x, y) in enumerate(self.batches()):
            loss = nn.functional.cross_entropy(self.net(x), y)
            self.opt.zero_grad()
            loss.backward()
            self.opt.step()
            if (step + 1) % self.config.sample_step == 0:
                print(loss)

    def test(self):
        total = 0
        for x, y in self.batches():
            total += (self.net(x).argmax(1) == y).sum()
        print(total)

    def run(self):
        getattr(self, self.config.mode)()


if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--mode", default="train")
    p.add_argument("--sample_step", type=int, default=5)
    Solver(p.parse_args()).run()

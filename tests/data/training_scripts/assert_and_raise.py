import argparse
import torch
import torch.nn as nn


def get_args(argv=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("--task", required=True)
    parser.add_argument("--kind", type=str)
    parser.add_argument("--no_cuda", action="store_true")
    parser.add_argument("--warmup", type=int, default=0)
    parser.add_argument("--clip", type=float, default=0.0)
    parser.add_argument("--local_rank", type=int, default=-1)
    args = parser.parse_args(argv)
    args.cuda = not args.no_cuda and torch.cuda.is_available()
    return args


class Runner:
    def __init__(self, args):
        self.args = args
        self.is_main = args.local_rank in (-1, 0)
        self.net = nn.Linear(8, 1)
        self.opt = torch.optim.SGD(self.net.parameters(), lr=0.1)

    def __call__(self):
        handler = {"train": self.train, "test": self.test}.get(self.args.task)
        if handler is None:
            raise ValueError(self.args.task)
        handler()

    def train(self):
        for i in range(self.args.warmup):
            self.net(torch.rand(4, 8))
        for i in range(3):
            loss = self.net(torch.rand(4, 8)).mean()
            loss.backward()
            if self.args.clip > 0:
                nn.utils.clip_grad_norm_(self.net.parameters(), self.args.clip)
            self.opt.step()
            if not self.is_main:
                continue
            if self.args.kind == "long":
                self.test()

    def test(self):
        assert self.net is not None
        for _ in range(3):
            self.net(torch.rand(1, 8))


if __name__ == "__main__":
    Runner(get_args())()

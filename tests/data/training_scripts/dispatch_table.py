import sys
import torch
import torch.nn as nn


def train(net, opt):
    for _ in range(3):
        loss = net(torch.rand(4, 8)).mean()
        loss.backward()
        opt.step()


def evaluate(net, opt):
    for _ in range(3):
        print(net(torch.rand(4, 8)))


def usage(*_):
    if len(sys.argv) == 1:
        print("usage")


COMMANDS = {"train": train, "eval": evaluate}


def main(argv=None):
    argv = argv or sys.argv[1:]
    net = nn.Linear(8, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    command = COMMANDS.get(argv[0] if argv else "train", usage)
    command(net, opt)
    for name in argv[1:]:
        match name:
            case "train":
                train(net, opt)
            case "eval":
                evaluate(net, opt)
            case _:
                usage()


if __name__ == "__main__":
    sys.exit(main())

import argparse
import torch
import torch.nn as nn

DEFAULTS = {"clip": None, "mode": "train", "hidden": []}


def build(hidden, **_):
    layers, last = [], 8
    for width in hidden:
        layers.append(nn.Linear(last, width))
        last = width
    return nn.Sequential(*layers, nn.Linear(last, 1))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--mode", type=str, default="train")
    parser.add_argument("--hidden", type=int, nargs="*", default=[])
    parser.add_argument("--extra", action="append", default=[])
    parser.add_argument("--loop", action="store_true")
    parser.add_argument("--no-train", dest="train", action="store_false")
    cfg = {**DEFAULTS, **vars(parser.parse_args())}
    net = build(**cfg)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    match cfg["mode"]:
        case "train":
            for _ in range(3):
                loss = net(torch.rand(4, 8)).mean()
                loss.backward()
                opt.step()
        case "eval":
            net.eval()
        case _:
            net.train()
    for name in cfg["extra"]:
        torch.save(net, name)
    while cfg["loop"]:
        net(torch.rand(1, 8))
    if not cfg["train"]:
        net.eval()
    if cfg["clip"]:
        nn.utils.clip_grad_norm_(net.parameters(), cfg["clip"])


if __name__ == "__main__":
    main()

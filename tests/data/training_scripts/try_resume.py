import json
import torch
import torch.nn as nn


def load(path):
    try:
        with open(path) as f:
            config = json.load(f)
    except FileNotFoundError:
        config = {"hidden": 8}
        print("default")
    except json.JSONDecodeError as e:
        raise SystemExit(str(e))
    else:
        print("read")
    return config


def train(net, config):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    start = 0
    try:
        state = torch.load("last.pt")
        start = state["epoch"]
        net.load_state_dict(state["net"])
    except Exception:
        print("from scratch")
    for epoch in range(start, 10):
        try:
            loss = net(torch.rand(4, config["hidden"])).mean()
            loss.backward()
        except RuntimeError as e:
            if "out of memory" in str(e):
                torch.cuda.empty_cache()
                continue
            raise
        opt.step()


if __name__ == "__main__":
    config = load("c.json")
    train(nn.Linear(config["hidden"], 1), config)

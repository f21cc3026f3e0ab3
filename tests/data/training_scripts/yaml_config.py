import sys
import yaml
import torch
import torch.nn as nn

MODELS = {"linear": lambda c: nn.Linear(c["in"], c["out"]), "mlp": lambda c: nn.Sequential(nn.Linear(c["in"], 8), nn.Linear(8, c["out"]))}


def main(path):
    with open(path) as f:
        cfg = yaml.safe_load(f)
    net = MODELS[cfg["model"]["name"]](cfg["model"])
    if cfg["train"]["optimizer"] == "adam":
        opt = torch.optim.Adam(net.parameters())
    else:
        opt = torch.optim.SGD(net.parameters(), lr=cfg["train"]["lr"])
    if cfg.get("cuda", False):
        net = net.cuda()
    for epoch in range(cfg["train"]["epochs"]):
        x = torch.rand(4, cfg["model"]["in"])
        loss = net(x).mean()
        opt.zero_grad()
        loss.backward()
        opt.step()
        if epoch % cfg["train"]["save_every"] == 0:
            torch.save(net.state_dict(), "x.pt")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        main(sys.argv[1])
    else:
        main("config.yaml")

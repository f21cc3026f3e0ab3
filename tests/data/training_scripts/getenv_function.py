import os
import torch
import torch.nn as nn


def flag(name, default="false"):
    return os.getenv(name, default).lower() in ("1", "true")


def setup(rank=None):
    debug = flag("APP_DEBUG")
    amp = "USE_AMP" in os.environ
    world = int(os.environ.get("WORLD_SIZE", "1"))
    return {"debug": debug, "amp": amp, "distributed": world > 1}


def train(settings):
    net = nn.Linear(8, 1)
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    if settings["distributed"]:
        net = nn.parallel.DistributedDataParallel(net)
    for _ in range(3):
        loss = net(torch.rand(4, 8)).mean()
        loss.backward()
        opt.step()
        if settings["debug"]:
            torch.save(loss, "loss")
        if settings["amp"]:
            torch.save(net, "net")


train(setup())
if os.environ.get("PROFILE") is not None:
    torch.save(1, "p")

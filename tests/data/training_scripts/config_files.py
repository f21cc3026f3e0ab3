import configparser
import json
import os
import torch
import torch.nn as nn

config = configparser.ConfigParser()
config.read("settings.ini")
try:
    from apex import amp
    HAS_AMP = True
except ImportError:
    HAS_AMP = False


def prepare(folder):
    if not os.path.exists(folder):
        os.makedirs(folder)
        for i in range(3):
            torch.save(torch.rand(4, 8), os.path.join(folder, f"{i}.pt"))
    names = [name for name in os.listdir(folder) if name.endswith(".pt")]
    for name in names:
        yield torch.load(os.path.join(folder, name))
    else:
        torch.save(names, "names")


net = nn.Linear(8, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)

for x in prepare("data"):
    loss = net(x).mean()
    if HAS_AMP:
        with amp.scale_loss(loss, opt) as scaled:
            scaled.backward()
    else:
        loss.backward()
    opt.step()
if config.getboolean("train", "evaluate"):
    net.eval()
if config["train"]["mode"] == "long":
    for _ in range(10):
        net(torch.rand(1, 8))
with open("state.json") as f:
    state = json.load(f)
for key in state:
    if key == "lr":
        opt.param_groups[0]["lr"] = state[key]

import os
import sys
import torch
import torch.nn as nn

DEBUG = os.environ.get("DEBUG", "0") == "1"
STEPS = int(os.environ.get("STEPS", 5))
DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


def step(net, opt):
    loss = net(torch.rand(4, 8, device=DEVICE)).mean()
    if torch.isnan(loss):
        print("nan")
        sys.exit(1)
    opt.zero_grad()
    loss.backward()
    opt.step()
    return loss


net = nn.Linear(8, 1).to(DEVICE)
opt = torch.optim.SGD(net.parameters(), lr=0.1)
if os.path.exists("last.pt"):
    net.load_state_dict(torch.load("last.pt"))
if DEBUG:
    print(net)
for i in range(STEPS):
    loss = step(net, opt)
    if DEBUG:
        print(loss)
if sys.platform == "win32":
    print("windows")
if len(sys.argv) > 2 and sys.argv[1] == "export":
    torch.save(net, "x")

import contextlib
import torch
import torch.nn as nn
from torch.cuda.amp import GradScaler, autocast


@contextlib.contextmanager
def timer(name):
    print("start", name)
    try:
        yield
    finally:
        print("end", name)


def train(net, use_amp=True, accumulate=2):
    opt = torch.optim.SGD(net.parameters(), lr=0.1)
    scaler = GradScaler(enabled=use_amp)
    for i in range(4):
        with timer("step"), autocast(enabled=use_amp):
            loss = net(torch.rand(4, 8)).mean()
        with torch.autograd.set_detect_anomaly(True):
            scaler.scale(loss).backward()
        if (i + 1) % accumulate == 0:
            scaler.step(opt)
            scaler.update()
            opt.zero_grad()
        context = torch.no_grad() if i % 2 else contextlib.nullcontext()
        with context:
            for p in net.parameters():
                if p.grad is not None:
                    p.grad.norm()


with contextlib.suppress(KeyboardInterrupt):
    train(nn.Linear(8, 1))

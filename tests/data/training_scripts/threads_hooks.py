import atexit
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
import torch
import torch.nn as nn

net = nn.Linear(8, 1)
opt = torch.optim.SGD(net.parameters(), lr=0.1)


def hook(module, inputs, output):
    if output.dim() > 1:
        return output * 2


def train():
    for _ in range(3):
        def closure():
            opt.zero_grad()
            loss = net(torch.rand(4, 8)).mean()
            loss.backward()
            return loss
        opt.step(closure)


def evaluate(n):
    for _ in range(n):
        net(torch.rand(1, 8))
    return n


def stop(number, frame):
    if number == signal.SIGINT:
        torch.save(net, "x")


def bye():
    for p in net.parameters():
        p.sum()


net.register_forward_hook(hook)
atexit.register(bye)
signal.signal(signal.SIGINT, stop)
thread = threading.Thread(target=train)
thread.start()
thread.join()
with ThreadPoolExecutor(2) as pool:
    futures = [pool.submit(evaluate, n) for n in range(3)]
    for future in futures:
        print(future.result())
timer = threading.Timer(5, evaluate, args=(3,))
timer.start()

import torch
import torch.nn as nn


class Callback:
    def on_epoch_end(self, trainer):
        pass

    def on_batch_end(self, trainer, loss):
        pass


class Stop(Callback):
    def __init__(self, patience):
        self.patience, self.best, self.bad = patience, None, 0

    def on_epoch_end(self, trainer):
        if self.best is None or trainer.last < self.best:
            self.best, self.bad = trainer.last, 0
        else:
            self.bad += 1
            if self.bad >= self.patience:
                trainer.stop = True


class Print(Callback):
    def on_batch_end(self, trainer, loss):
        if trainer.step % 10 == 0:
            print(loss)


class Trainer:
    def __init__(self, net, callbacks):
        self.net, self.callbacks = net, callbacks
        self.opt = torch.optim.SGD(net.parameters(), lr=0.1)
        self.stop, self.step, self.last = False, 0, 0.0

    def fire(self, name, *args):
        for callback in self.callbacks:
            getattr(callback, name)(self, *args)

    def fit(self, batches, epochs):
        for epoch in range(epochs):
            if self.stop:
                print("stopped")
                break
            for x, y in batches:
                loss = nn.functional.mse_loss(self.net(x), y)
                self.opt.zero_grad()
                loss.backward()
                self.opt.step()
                self.step += 1
                self.last = loss.item()
                self.fire("on_batch_end", loss)
            self.fire("on_epoch_end")


if __name__ == "__main__":
    batches = [(torch.rand(4, 8), torch.rand(4, 1)) for _ in range(5)]
    Trainer(nn.Linear(8, 1), [Stop(3), Print()]).fit(batches, 10)

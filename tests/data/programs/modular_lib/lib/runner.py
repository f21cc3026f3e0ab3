import contextlib

import torch


class Hook:
    def before_run(self, runner):
        pass

    def after_iter(self, runner):
        pass

    def after_run(self, runner):
        pass


class OptimizerHook(Hook):
    def __init__(self, accumulate):
        self.accumulate = accumulate

    def after_iter(self, runner):
        (runner.outputs["loss"] / self.accumulate).backward()
        if (runner.iter + 1) % self.accumulate == 0:
            runner.optimizer.step()
            runner.optimizer.zero_grad()


class EvalHook(Hook):
    def after_run(self, runner):
        runner.model.eval()
        with torch.no_grad():
            img, label = runner.batch()
            logits = runner.model(img, mode="predict")
            runner.outputs["logits"] = logits
            k = logits.shape[1]
            index = label.flatten() * k + logits.argmax(1).flatten()  #! logits.argmax(1).flatten() => logits.flatten(2).argmax(1)
            confusion = torch.bincount(index, minlength=k * k).reshape(k, k)
            union = confusion.sum(0) + confusion.sum(1) - confusion.diag()  #! confusion.sum(1) - confusion.diag() => confusion.sum(1, keepdim=True) - confusion.diag().view(1, 1, -1, 2)
            runner.history.append(confusion.diag() / union.clamp(min=1))


class Runner:
    def __init__(self, model, cfg):
        self.model, self.cfg = model, cfg
        self.optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        self.hooks = [OptimizerHook(cfg.runner.accumulate), EvalHook()]
        self.history, self.outputs, self.iter = [], {}, 0

    def batch(self):
        d = self.cfg.data
        return torch.rand(d.batch, 3, d.size, d.size), torch.randint(0, d.classes, (d.batch, 1, d.size, d.size))

    def call_hook(self, name):
        for hook in self.hooks:
            getattr(hook, name)(self)

    def run(self):
        self.call_hook("before_run")
        while self.iter < self.cfg.runner.max_iters:
            img, label = self.batch()
            losses = self.model(img, label)
            total = sum(v for k, v in losses.items() if "loss" in k)
            self.outputs = dict(loss=total, **losses)
            self.call_hook("after_iter")
            self.iter += 1
        self.call_hook("after_run")
        return self.history

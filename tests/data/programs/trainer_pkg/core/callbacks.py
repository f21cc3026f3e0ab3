"""What happens on the way."""
import torch


class Callback:
    def on_start(self, trainer, epochs):
        pass


class History(Callback):
    def __init__(self):
        self.losses, self.scores = [], []

    def on_batch(self, trainer, loss):
        self.losses.append(loss)

    def on_epoch(self, trainer, score):
        self.scores.append(score)


class Checkpoint(Callback):
    def __init__(self, every):
        self.every = every

    def on_epoch(self, trainer, score):
        best = trainer.state["best"]
        if best is None or score < best:
            trainer.state.update(best=score)
            self.saved = {k: v.clone() for k, v in trainer.model.state_dict().items()}

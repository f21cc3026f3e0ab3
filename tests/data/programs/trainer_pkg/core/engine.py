"""The training loop."""
import torch


class Trainer:
    def __init__(self, model, lr, callbacks=()):
        self.model = model
        self.callbacks = list(callbacks)
        self.optimizer = torch.optim.Adam(model.parameters(), lr=lr)
        self.state = {"epoch": 0, "best": None}

    def emit(self, event, **info):
        for cb in self.callbacks:
            handler = getattr(cb, f"on_{event}", None)
            if handler is not None:
                handler(self, **info)

    def fit(self, train, val, epochs):
        self.emit("start", epochs=epochs)
        for epoch in range(epochs):
            self.state["epoch"] = epoch
            self.model.train()
            for batch in train:
                loss = self.model.loss(**batch)
                self.optimizer.zero_grad()
                loss.backward()
                self.optimizer.step()
                self.emit("batch", loss=loss.item())
            self.emit("epoch", score=self.evaluate(val))

    @torch.no_grad()
    def evaluate(self, loader):
        self.model.eval()
        losses = [self.model.loss(batch["image"], batch["caption"]) for batch in loader]
        return torch.stack(losses).mean().item()  #! torch.stack(losses) => torch.cat(losses)

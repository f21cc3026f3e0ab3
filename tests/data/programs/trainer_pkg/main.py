"""Runs an experiment: a captioning model with a callback-driven trainer."""
from pathlib import Path
from core.engine import Trainer
from core.callbacks import History, Checkpoint
from model import Captioner
from settings import Settings, load
from data import make_loaders


def run(overrides=None):
    settings = load(Path(__file__).with_name("settings.json"), overrides or {})
    train, val = make_loaders(settings)
    model = Captioner(
        vocab=settings.vocab,
        image_channels=settings.image_channels,
        **settings.model,
    )
    trainer = Trainer(model, lr=settings.lr, callbacks=[History(), Checkpoint(every=2)])
    trainer.fit(train, val, epochs=settings.epochs)
    tokens = model.caption(next(iter(val))["image"], max_len=6)
    reveal_type(tokens)
    return trainer


if __name__ == "__main__":
    run()

# `aim`: runs, and what they are told.
from wandb._tracked import Tracked

Run = Image = Figure = Text = Distribution = Audio = Repo = Tracked

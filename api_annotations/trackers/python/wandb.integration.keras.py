# `wandb.integration.keras`: what it makes is kept, and nothing of it comes back.
from wandb._tracked import Tracked

WandbCallback = WandbMetricsLogger = WandbModelCheckpoint = WandbEvalCallback = Tracked

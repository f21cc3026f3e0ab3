# `wandb.sdk`: what it makes is kept, and nothing of it comes back.
from wandb._tracked import Tracked

wandb_run = wandb_config = Tracked

# `visdom`: plots in a browser.
from wandb._tracked import Tracked

Visdom = Tracked

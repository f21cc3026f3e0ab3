# `wandb.plots.utils`: what it makes is kept, and nothing of it comes back.
from wandb._tracked import Tracked

test_missing = test_types = encode_labels = deprecation_notice = limit = Tracked

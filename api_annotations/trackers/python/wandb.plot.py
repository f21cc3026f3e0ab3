# `wandb.plot`: plots of tables.
from wandb._tracked import kept as _kept

line = scatter = bar = histogram = line_series = confusion_matrix = pr_curve = roc_curve = plot_table = _kept

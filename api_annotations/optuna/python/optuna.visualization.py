# `optuna.visualization`.
from optuna import _known

plot_optimization_history = plot_param_importances = plot_parallel_coordinate = plot_slice = plot_contour = plot_intermediate_values = _known

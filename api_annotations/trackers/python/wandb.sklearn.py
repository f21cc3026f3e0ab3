# `wandb.sklearn`: what it makes is kept, and nothing of it comes back.
from wandb._tracked import Tracked

plot_classifier = plot_regressor = plot_confusion_matrix = plot_roc = plot_learning_curve = plot_feature_importances = plot_precision_recall = plot_clusterer = plot_class_proportions = plot_summary_metrics = Tracked

# Metrics.
from flax.nnx._training import Accuracy, Average, Metric, MetricState, MultiMetric, Statistics, Welford

# Metrics by their first names: a pair of the value and the operation that updates it.
from harp_library import outside, tensor


def streaming_mean(values, weights=None, metrics_collections=None, updates_collections=None, name=None):
    import tensorflow as _tf
    return tensor((), _tf.float32, "tensorflow.Tensor"), tensor((), _tf.float32, "tensorflow.Tensor")


def streaming_accuracy(predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None):
    return streaming_mean(predictions)


def streaming_precision(predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None):
    return streaming_mean(predictions)


def streaming_recall(predictions, labels, weights=None, metrics_collections=None, updates_collections=None, name=None):
    return streaming_mean(predictions)


def streaming_auc(predictions, labels, *arguments, **options):
    return streaming_mean(predictions)


def streaming_recall_at_k(predictions, labels, k, *arguments, **options):
    return streaming_mean(predictions)


def streaming_sparse_recall_at_k(predictions, labels, k, *arguments, **options):
    return streaming_mean(predictions)


def streaming_sparse_precision_at_k(predictions, labels, k, *arguments, **options):
    return streaming_mean(predictions)


def streaming_mean_absolute_error(predictions, labels, *arguments, **options):
    return streaming_mean(predictions)


def streaming_mean_squared_error(predictions, labels, *arguments, **options):
    return streaming_mean(predictions)


def streaming_root_mean_squared_error(predictions, labels, *arguments, **options):
    return streaming_mean(predictions)


def streaming_mean_iou(predictions, labels, num_classes, *arguments, **options):
    import tensorflow as _tf
    return tensor((), _tf.float32, "tensorflow.Tensor"), tensor((num_classes, num_classes), _tf.float32, "tensorflow.Tensor")


def accuracy(predictions, labels, weights=None, name=None):
    import tensorflow as _tf
    return tensor((), _tf.float32, "tensorflow.Tensor")


def aggregate_metrics(*value_update_tuples):
    return [pair[0] for pair in value_update_tuples], [pair[1] for pair in value_update_tuples]


def aggregate_metric_map(names_to_tuples):
    return {name: pair[0] for name, pair in names_to_tuples.items()}, {name: pair[1] for name, pair in names_to_tuples.items()}

# Losses of version 1 beside those of entries, and the collections that hold them.
from harp_library import is_known, judge, tensor
from tensorflow._mode import is_version_1
from tensorflow._v1graph import add_to_collection, get_collection


class Reduction:
    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_OVER_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    # Those of version 2.
    AUTO = "auto"

    @classmethod
    def all(cls):
        return ("none", "weighted_sum", "weighted_mean", "weighted_sum_over_batch_size", "weighted_sum_by_nonzero_weights")

    @classmethod
    def validate(cls, key):
        pass


def sparse_softmax_cross_entropy(labels, logits, weights=1.0, scope=None, loss_collection="losses", reduction="weighted_sum_by_nonzero_weights"):
    # Labels may have a last axis of size 1, which is dropped.
    if is_known(labels.ndim) and is_known(logits.ndim) and labels.ndim == logits.ndim:
        judge(labels.shape[-1] == 1, "the labels have one axis less than the logits")
    judge((labels.ndim + 1 == logits.ndim) or (labels.ndim == logits.ndim), "the labels have one axis less than the logits")
    for own, size in zip(labels.shape[:-1] if labels.ndim == logits.ndim else labels.shape, logits.shape[:-1]):
        judge(own == size, "the labels do not have the shape of the logits without classes")
    shape = logits.shape[:-1] if reduction == "none" else ()
    return tensor(shape, logits.dtype, "tensorflow.Tensor")


def mean_squared_error(labels, predictions, weights=1.0, scope=None, loss_collection="losses", reduction="weighted_sum_by_nonzero_weights"):
    import tensorflow as _tf
    # In version 2 it is a function of Keras, which broadcasts.
    if not is_version_1():
        return tensor(None, None, "tensorflow.Tensor")
    labels, predictions = _tf.convert_to_tensor(labels), _tf.convert_to_tensor(predictions)
    judge(len(labels.shape) == len(predictions.shape), "labels and predictions have the same shape")
    for own, size in zip(labels.shape, predictions.shape):
        judge(own == size, "labels and predictions have the same shape")
    return tensor(predictions.shape if reduction == "none" else (), _tf.float32, "tensorflow.Tensor")


def _number():
    import tensorflow as _tf
    return tensor((), _tf.float32, "tensorflow.Tensor")


def add_loss(loss, loss_collection="losses"):
    if loss_collection is not None:
        add_to_collection(loss_collection, loss)


def get_losses(scope=None, loss_collection="losses"):
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope=None):
    return get_collection("regularization_losses", scope)


def get_regularization_loss(scope=None, name="total_regularization_loss"):
    return _number()


def get_total_loss(add_regularization_losses=True, name="total_loss", scope=None):
    return _number()

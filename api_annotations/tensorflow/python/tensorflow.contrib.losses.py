# Losses of `tf.contrib.losses` and `slim.losses`: the predictions come first.
from harp_library import judge, tensor
from tensorflow._v1graph import get_collection


def _number(like):
    return tensor((), like.dtype, "tensorflow.Tensor")


def _judge_same(one, other):
    judge(len(one.shape) == len(other.shape), "the labels have another number of axes than the predictions")
    for own, size in zip(one.shape, other.shape):
        judge(own == size, "the labels have another shape than the predictions")


def softmax_cross_entropy(logits, onehot_labels, weights=1.0, label_smoothing=0, scope=None, weight=None):
    _judge_same(logits, onehot_labels)
    return _number(logits)


def sigmoid_cross_entropy(logits, multi_class_labels, weights=1.0, label_smoothing=0, scope=None, weight=None):
    _judge_same(logits, multi_class_labels)
    return _number(logits)


def sparse_softmax_cross_entropy(logits, labels, weights=1.0, scope=None, weight=None):
    for own, size in zip(labels.shape, logits.shape[:-1]):
        judge(own == size, "the labels do not have the shape of the logits without classes")
    return _number(logits)


def absolute_difference(predictions, labels=None, weights=1.0, scope=None, weight=None):
    _judge_same(predictions, labels)
    return _number(predictions)


def mean_squared_error(predictions, labels=None, weights=1.0, scope=None, weight=None):
    _judge_same(predictions, labels)
    return _number(predictions)


def sum_of_squares(predictions, labels=None, weights=1.0, scope=None, weight=None):
    return mean_squared_error(predictions, labels)


def log_loss(predictions, labels=None, weights=1.0, epsilon=1e-7, scope=None, weight=None):
    _judge_same(predictions, labels)
    return _number(predictions)


def hinge_loss(logits, labels=None, scope=None):
    _judge_same(logits, labels)
    return tensor(logits.shape, logits.dtype, "tensorflow.Tensor")


def cosine_distance(predictions, labels=None, axis=None, weights=1.0, scope=None, dim=None):
    _judge_same(predictions, labels)
    return _number(predictions)


def compute_weighted_loss(losses, weights=1.0, scope=None):
    return _number(losses)


def add_loss(loss, loss_collection="losses"):
    from tensorflow._v1graph import add_to_collection
    add_to_collection(loss_collection, loss)


def get_losses(scope=None, loss_collection="losses"):
    return get_collection(loss_collection, scope)


def get_regularization_losses(scope=None):
    return get_collection("regularization_losses", scope)


def get_total_loss(add_regularization_losses=True, name="total_loss"):
    import tensorflow as _tf
    return tensor((), _tf.float32, "tensorflow.Tensor")

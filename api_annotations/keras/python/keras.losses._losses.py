# Losses. Labels and outputs are compared by element, and the last axis is made one number.
import numpy as np
import keras.ops as _ops
from harp_library import is_known, judge, left_open, outside, require
from keras._joins import _alike
from keras._shapes import _is_open, _made, _tensor
from tensorflow._mode import judge_defined, judge_ranked


def _float(value):
    """Labels as the losses take them."""
    value = _tensor(value)
    return _made(value.shape)


def _ranked(y_true, y_pred):
    """Where the number of axes is asked for, the graph must know it."""
    judge_ranked(y_true, "the labels")
    judge_ranked(y_pred, "the output")


def _same_rank(left, right):
    """An axis of one number at the end may be missing in one of the two."""
    _ranked(left, right)
    if not is_known(left.ndim) or not is_known(right.ndim):
        return left, right
    if left.ndim == right.ndim + 1 and is_known(left.shape[-1]) and left.shape[-1] == 1:
        if right.ndim == 1:
            return left, _made(right.shape + (1,))
        return _made(left.shape[:-1]), right
    if right.ndim == left.ndim + 1 and is_known(right.shape[-1]) and right.shape[-1] == 1:
        if left.ndim == 1:
            return _made(left.shape + (1,)), right
        return left, _made(right.shape[:-1])
    return left, right


def _rowwise(y_true, y_pred, axis=-1):
    """Elements are compared, and an axis of the result becomes one number."""
    both = _ops.subtract(y_true, y_pred)
    return _ops.mean(both, axis=axis)


def mean_squared_error(y_true, y_pred):
    y_true, y_pred = _same_rank(_float(y_true), _float(y_pred))
    return _rowwise(y_true, y_pred)


def mean_absolute_error(y_true, y_pred):
    return mean_squared_error(y_true, y_pred)


def mean_absolute_percentage_error(y_true, y_pred):
    return mean_squared_error(y_true, y_pred)


def mean_squared_logarithmic_error(y_true, y_pred):
    return mean_squared_error(y_true, y_pred)


def huber(y_true, y_pred, delta=1.0):
    return mean_squared_error(y_true, y_pred)


def log_cosh(y_true, y_pred):
    return mean_squared_error(y_true, y_pred)


def cosine_similarity(y_true, y_pred, axis=-1):
    y_true, y_pred = _same_rank(_float(y_true), _float(y_pred))
    return _rowwise(y_true, y_pred, axis)


def hinge(y_true, y_pred):
    return _rowwise(_float(y_true), _float(y_pred))


def squared_hinge(y_true, y_pred):
    return _rowwise(_float(y_true), _float(y_pred))


def categorical_hinge(y_true, y_pred):
    return _rowwise(_float(y_true), _float(y_pred))


def kl_divergence(y_true, y_pred):
    return _rowwise(_float(y_true), _float(y_pred))


def poisson(y_true, y_pred):
    return _rowwise(_float(y_true), _float(y_pred))


def _same_shape(y_true, y_pred):
    message = "labels and outputs must have the same shape"
    _ranked(y_true, y_pred)
    require(y_true.ndim == y_pred.ndim, message)
    if is_known(y_pred.ndim):
        for place in range(y_pred.ndim):
            _alike(y_true.shape[place], y_pred.shape[place], message)


def _without(shape, axis):
    if axis == -1:
        return shape[:-1]
    axis = axis + len(shape) if axis < 0 else axis
    return shape[:axis] + shape[axis + 1:]


def binary_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    y_true, y_pred = _float(y_true), _float(y_pred)
    _same_shape(y_true, y_pred)
    require(y_pred.ndim >= 1, "there is no axis to take the mean over")
    return _made(_without(y_pred.shape, axis))


def binary_focal_crossentropy(y_true, y_pred, apply_class_balancing=False, alpha=0.25, gamma=2.0, from_logits=False, label_smoothing=0.0,
                              axis=-1):
    return binary_crossentropy(y_true, y_pred, axis=axis)


def categorical_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    y_true, y_pred = _float(y_true), _float(y_pred)
    require(y_true.ndim >= 1, "labels and outputs have at least one axis")
    _same_shape(y_true, y_pred)
    return _made(_without(y_pred.shape, axis))


def categorical_focal_crossentropy(y_true, y_pred, alpha=0.25, gamma=2.0, from_logits=False, label_smoothing=0.0, axis=-1):
    return categorical_crossentropy(y_true, y_pred, axis=axis)


def sparse_categorical_crossentropy(y_true, y_pred, from_logits=False, ignore_class=None, axis=-1):
    y_true, y_pred = _float(y_true), _float(y_pred)
    _ranked(y_true, y_pred)
    require(y_pred.ndim >= 1, "the output has an axis of classes")
    if is_known(y_true.ndim) and is_known(y_pred.ndim):
        if y_true.ndim == y_pred.ndim:
            last = y_true.shape[-1]
            if left_open(last):
                judge_defined(last, "labels that are numbers of classes have one axis less than the output, or one of size 1 at the end; here it is `None`")
            elif not _is_open(last):
                require(last == 1, "labels that are numbers of classes have one axis less than the output")
            y_true = _made(y_true.shape[:-1])
        require(y_true.ndim + 1 == y_pred.ndim, "labels that are numbers of classes have one axis less than the output")
        for place in range(y_true.ndim):
            _alike(y_true.shape[place], y_pred.shape[place], "the labels must have the shape of the output without its classes")
    return _made(y_pred.shape[:-1])


def dice(y_true, y_pred, axis=None):
    _ops.subtract(_float(y_true), _float(y_pred))
    return _made(())


def tversky(y_true, y_pred, alpha=0.5, beta=0.5, axis=None):
    _ops.subtract(_float(y_true), _float(y_pred))
    return _made(())


def ctc(y_true, y_pred):
    y_pred = _float(y_pred)
    return _made(y_pred.shape[:1])


mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error
mape = MAPE = mean_absolute_percentage_error
msle = MSLE = mean_squared_logarithmic_error
kld = KLD = kullback_leibler_divergence = kl_divergence
logcosh, bce, BCE = log_cosh, binary_crossentropy, binary_crossentropy
cosine_proximity = cosine_similarity


class Reduction:
    AUTO, NONE, SUM, SUM_OVER_BATCH_SIZE = "auto", "none", "sum", "sum_over_batch_size"

    @classmethod
    def all(cls):
        return ("auto", "none", "sum", "sum_over_batch_size")


class Loss:
    """The loss of each sample, and what the reduction makes of them."""

    def __init__(self, reduction="sum_over_batch_size", name=None, dtype=None, **options):
        self.reduction, self.name = reduction, name

    def call(self, y_true, y_pred):
        return mean_squared_error(y_true, y_pred)

    def __call__(self, y_true, y_pred, sample_weight=None):
        y_true, y_pred = _float(y_true), _float(y_pred)
        each = self.call(y_true, y_pred)
        return self._reduced(each, sample_weight)

    def _reduced(self, each, sample_weight):
        if sample_weight is not None:
            each, weight = _same_rank(each, _float(sample_weight))
            each = _ops.multiply(each, weight)
        if self.reduction is None or self.reduction == "none":
            return each
        return _made(())

    def get_config(self):
        return {"name": self.name, "reduction": self.reduction}

    @classmethod
    def from_config(cls, config):
        return cls(**config)


class _Known(Loss):
    """A loss of the library: labels and outputs get the same number of axes first."""

    def __init__(self, *arguments, reduction="sum_over_batch_size", name=None, axis=-1, **options):
        self.reduction, self.name, self._axis = reduction, name, axis

    def call(self, y_true, y_pred):
        y_true, y_pred = _same_rank(_float(y_true), _float(y_pred))
        return self._each(y_true, y_pred)

    def _each(self, y_true, y_pred):
        return mean_squared_error(y_true, y_pred)


class MeanSquaredError(_Known):
    pass


class MeanAbsoluteError(_Known):
    pass


class MeanAbsolutePercentageError(_Known):
    pass


class MeanSquaredLogarithmicError(_Known):
    pass


class Huber(_Known):
    pass


class LogCosh(_Known):
    pass


class Hinge(_Known):
    pass


class SquaredHinge(_Known):
    pass


class CategoricalHinge(_Known):
    pass


class KLDivergence(_Known):
    pass


class Poisson(_Known):
    pass


class CosineSimilarity(_Known):
    def _each(self, y_true, y_pred):
        return cosine_similarity(y_true, y_pred, self._axis)


class BinaryCrossentropy(_Known):
    def _each(self, y_true, y_pred):
        return binary_crossentropy(y_true, y_pred, axis=self._axis)


class BinaryFocalCrossentropy(BinaryCrossentropy):
    pass


class CategoricalCrossentropy(_Known):
    def _each(self, y_true, y_pred):
        return categorical_crossentropy(y_true, y_pred, axis=self._axis)


class CategoricalFocalCrossentropy(CategoricalCrossentropy):
    pass


class CategoricalGeneralizedCrossEntropy(_Known):
    def _each(self, y_true, y_pred):
        return sparse_categorical_crossentropy(y_true, y_pred)


class SparseCategoricalCrossentropy(_Known):
    def _each(self, y_true, y_pred):
        return sparse_categorical_crossentropy(y_true, y_pred)


class Dice(_Known):
    def _each(self, y_true, y_pred):
        return dice(y_true, y_pred)


class Tversky(Dice):
    pass


class CTC(_Known):
    def call(self, y_true, y_pred):
        return ctc(y_true, y_pred)


_BY_NAME = {
    "mse": mean_squared_error, "mean_squared_error": mean_squared_error, "mae": mean_squared_error, "mean_absolute_error": mean_squared_error,
    "mape": mean_squared_error, "mean_absolute_percentage_error": mean_squared_error, "msle": mean_squared_error,
    "mean_squared_logarithmic_error": mean_squared_error, "huber": mean_squared_error, "huber_loss": mean_squared_error,
    "log_cosh": mean_squared_error, "logcosh": mean_squared_error, "meansquarederror": mean_squared_error,
    "hinge": hinge, "squared_hinge": hinge, "categorical_hinge": hinge, "poisson": hinge, "kl_divergence": hinge, "kld": hinge,
    "kullback_leibler_divergence": hinge, "cosine_similarity": cosine_similarity, "cosine_proximity": cosine_similarity,
    "binary_crossentropy": binary_crossentropy, "bce": binary_crossentropy, "binarycrossentropy": binary_crossentropy,
    "binary_focal_crossentropy": binary_crossentropy, "categorical_crossentropy": categorical_crossentropy,
    "categoricalcrossentropy": categorical_crossentropy, "categorical_focal_crossentropy": categorical_crossentropy,
    "sparse_categorical_crossentropy": sparse_categorical_crossentropy, "sparsecategoricalcrossentropy": sparse_categorical_crossentropy,
}


def get(identifier):
    if isinstance(identifier, str):
        return _BY_NAME.get(identifier.lower())
    return identifier


def serialize(loss):
    return {}


def deserialize(name, *arguments, **options):
    return get(name)


def _single(loss, y_true, y_pred, weight):
    """The loss between one output and its labels."""
    if loss is None:
        return
    if isinstance(loss, Loss):
        loss(y_true, y_pred, weight)
        return
    function = get(loss)
    if function is None:
        return
    y_true, y_pred = _same_rank(_float(y_true), _float(y_pred))
    function(y_true, y_pred)


def _loss_between(loss, y_true, y_pred, weight=None):
    """The losses of all outputs, each with its labels."""
    if isinstance(y_pred, dict):
        for name, output in y_pred.items():
            if isinstance(y_true, dict) and name in y_true:
                _single(loss.get(name) if isinstance(loss, dict) else loss, y_true[name], output, None)
    elif isinstance(y_pred, (list, tuple)):
        if isinstance(y_true, (list, tuple)):
            judge(len(y_true) == len(y_pred), "there must be labels for each output")
            for number in range(len(y_pred)):
                if isinstance(loss, (list, tuple)):
                    _single(loss[number], y_true[number], y_pred[number], None)
                elif not isinstance(loss, dict):
                    _single(loss, y_true[number], y_pred[number], None)
    elif not isinstance(y_true, (list, tuple, dict)):
        if isinstance(loss, (list, tuple)):
            loss = loss[0] if len(loss) == 1 else None
        if not isinstance(loss, dict):
            _single(loss, y_true, y_pred, weight)
    return _made(())

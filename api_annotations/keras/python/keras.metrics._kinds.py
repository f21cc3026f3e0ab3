# The metrics of the library. Most compare labels and outputs as losses do; some take all elements as one row.
import numpy as np
import keras.ops as _ops
import keras.losses._losses as _losses
from harp_library import free_size, is_known, judge, require
from keras._joins import _alike
from keras._shapes import _made, _product, _tensor
from keras.losses._losses import _float, _ranked, _same_rank
from tensorflow._mode import judge_ranked
from keras.metrics._metrics import Mean, Metric, Sum, MeanTensor


def binary_accuracy(y_true, y_pred, threshold=0.5):
    y_true, y_pred = _same_rank(_float(y_true), _float(y_pred))
    return _made(_ops.equal(y_true, y_pred).shape)


def accuracy(y_true, y_pred):
    y_true, y_pred = _same_rank(_float(y_true), _float(y_pred))
    return _made(_ops.equal(y_true, y_pred).shape)


def _classes(y_true):
    """The number of a class in place of a row with a one in it."""
    judge_ranked(y_true, "the labels")
    require(y_true.ndim >= 1, "labels have an axis of classes")
    return _made(y_true.shape[:-1])


def categorical_accuracy(y_true, y_pred):
    numbers, y_pred = _classes(_float(y_true)), _float(y_pred)
    if is_known(numbers.ndim) and is_known(y_pred.ndim) and numbers.ndim == y_pred.ndim and is_known(numbers.shape[-1]):
        require(numbers.shape[-1] == 1, "labels with more axes than the output have one element in the last but one")
    return sparse_categorical_accuracy(numbers, y_pred)


def _without_ones(y_true, y_pred):
    """Numbers of classes, of which the last axis may have one element."""
    if is_known(y_true.ndim) and is_known(y_pred.ndim) and y_true.ndim == y_pred.ndim and y_true.ndim >= 1:
        last = y_true.shape[-1]
        if is_known(last) and last == 1:
            return _made(y_true.shape[:-1])
    return y_true


def sparse_categorical_accuracy(y_true, y_pred):
    y_true, y_pred = _float(y_true), _float(y_pred)
    _ranked(y_true, y_pred)
    y_true = _without_ones(y_true, y_pred)
    require(y_pred.ndim >= 1, "outputs have an axis of classes")
    return _made(_ops.equal(y_true, _made(y_pred.shape[:-1])).shape)


def top_k_categorical_accuracy(y_true, y_pred, k=5):
    return sparse_top_k_categorical_accuracy(_classes(_float(y_true)), y_pred, k)


def sparse_top_k_categorical_accuracy(y_true, y_pred, k=5, from_sorted_ids=False):
    y_true, y_pred = _float(y_true), _float(y_pred)
    _ranked(y_true, y_pred)
    require(y_pred.ndim >= 2, "outputs have a batch and an axis of classes")
    if is_known(y_pred.ndim) and is_known(y_true.ndim):
        rows = _product(y_pred.shape[:-1])
        require(rows == _product(y_true.shape), "there must be a label for each output")
    return _made(y_true.shape)


def binary_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    return _losses.binary_crossentropy(y_true, y_pred, axis=axis)


def categorical_crossentropy(y_true, y_pred, from_logits=False, label_smoothing=0.0, axis=-1):
    return _losses.categorical_crossentropy(y_true, y_pred, axis=axis)


def sparse_categorical_crossentropy(y_true, y_pred, from_logits=False, ignore_class=None, axis=-1):
    return _losses.sparse_categorical_crossentropy(y_true, y_pred)


def mean_squared_error(y_true, y_pred):
    return _losses.mean_squared_error(y_true, y_pred)


def mean_absolute_error(y_true, y_pred):
    return _losses.mean_squared_error(y_true, y_pred)


def mean_absolute_percentage_error(y_true, y_pred):
    return _losses.mean_squared_error(y_true, y_pred)


def mean_squared_logarithmic_error(y_true, y_pred):
    return _losses.mean_squared_error(y_true, y_pred)


def hinge(y_true, y_pred):
    return _losses.hinge(y_true, y_pred)


def kl_divergence(y_true, y_pred):
    return _losses.hinge(y_true, y_pred)


def poisson(y_true, y_pred):
    return _losses.hinge(y_true, y_pred)


def cosine_similarity(y_true, y_pred, axis=-1):
    return _losses.cosine_similarity(y_true, y_pred, axis)


mse = MSE = mean_squared_error
mae = MAE = mean_absolute_error


class _Compared(Metric):
    """The mean of what a function gives for labels and outputs."""

    def __init__(self, *arguments, name=None, dtype=None, axis=-1, **options):
        self.name, self._axis = name, axis

    def _each(self, y_true, y_pred):
        return _losses.mean_squared_error(y_true, y_pred)

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true, y_pred = _same_rank(_float(y_true), _float(y_pred))
        each = self._each(y_true, y_pred)
        if sample_weight is not None:
            each, weight = _same_rank(each, _float(sample_weight))
            _ops.multiply(each, weight)


class MeanMetricWrapper(_Compared):
    def __init__(self, fn, name=None, dtype=None, **options):
        self.name, self._function, self._options = name, fn, options

    def _each(self, y_true, y_pred):
        return self._function(y_true, y_pred, **self._options)


class MeanSquaredError(_Compared):
    pass


class RootMeanSquaredError(_Compared):
    def _each(self, y_true, y_pred):
        return _ops.subtract(y_true, y_pred)


class MeanAbsoluteError(_Compared):
    pass


class MeanAbsolutePercentageError(_Compared):
    pass


class MeanSquaredLogarithmicError(_Compared):
    pass


class LogCoshError(_Compared):
    pass


class CosineSimilarity(_Compared):
    def _each(self, y_true, y_pred):
        return _losses.cosine_similarity(y_true, y_pred, self._axis)


class Hinge(_Compared):
    pass


class SquaredHinge(_Compared):
    pass


class CategoricalHinge(_Compared):
    pass


class KLDivergence(_Compared):
    pass


class Poisson(_Compared):
    pass


class Accuracy(_Compared):
    def _each(self, y_true, y_pred):
        return accuracy(y_true, y_pred)


class BinaryAccuracy(_Compared):
    def _each(self, y_true, y_pred):
        return binary_accuracy(y_true, y_pred)


class CategoricalAccuracy(_Compared):
    def _each(self, y_true, y_pred):
        return categorical_accuracy(y_true, y_pred)


class SparseCategoricalAccuracy(_Compared):
    def update_state(self, y_true, y_pred, sample_weight=None):
        sparse_categorical_accuracy(y_true, y_pred)


class TopKCategoricalAccuracy(_Compared):
    def __init__(self, k=5, name=None, dtype=None, **options):
        self.name = name

    def _each(self, y_true, y_pred):
        return top_k_categorical_accuracy(y_true, y_pred)


class SparseTopKCategoricalAccuracy(_Compared):
    def __init__(self, k=5, name=None, from_sorted_ids=False, dtype=None, **options):
        self.name = name

    def update_state(self, y_true, y_pred, sample_weight=None):
        sparse_top_k_categorical_accuracy(y_true, y_pred)


class BinaryCrossentropy(_Compared):
    def _each(self, y_true, y_pred):
        return _losses.binary_crossentropy(y_true, y_pred)


class CategoricalCrossentropy(_Compared):
    def _each(self, y_true, y_pred):
        return _losses.categorical_crossentropy(y_true, y_pred)


class SparseCategoricalCrossentropy(_Compared):
    def update_state(self, y_true, y_pred, sample_weight=None):
        _losses.sparse_categorical_crossentropy(y_true, y_pred)


class _Counted(Metric):
    """Counts over all elements, of which labels and outputs have as many."""

    def __init__(self, *arguments, name=None, dtype=None, **options):
        self.name = name

    def update_state(self, y_true, y_pred, sample_weight=None):
        y_true, y_pred = _float(y_true), _float(y_pred)
        if is_known(y_true.ndim) and is_known(y_pred.ndim):
            judge(_product(y_true.shape) == _product(y_pred.shape), "labels and outputs must have as many elements")


class Precision(_Counted):
    pass


class Recall(_Counted):
    pass


class TruePositives(_Counted):
    pass


class TrueNegatives(_Counted):
    pass


class FalsePositives(_Counted):
    pass


class FalseNegatives(_Counted):
    pass


class AUC(_Counted):
    pass


class PrecisionAtRecall(_Counted):
    pass


class RecallAtPrecision(_Counted):
    pass


class SensitivityAtSpecificity(_Counted):
    pass


class SpecificityAtSensitivity(_Counted):
    pass


class _Loose(Metric):
    """Metrics that are not looked into."""

    def __init__(self, *arguments, name=None, dtype=None, **options):
        self.name = name

    def update_state(self, y_true, y_pred, sample_weight=None):
        pass


class MeanIoU(_Loose):
    pass


class IoU(_Loose):
    pass


class BinaryIoU(_Loose):
    pass


class OneHotIoU(_Loose):
    pass


class OneHotMeanIoU(_Loose):
    pass


class MeanRelativeError(_Loose):
    pass


class R2Score(_Loose):
    pass


class F1Score(_Loose):
    pass


class FBetaScore(_Loose):
    pass


class ConcordanceCorrelation(_Loose):
    pass


class PearsonCorrelation(_Loose):
    pass


def get(identifier):
    return identifier


def serialize(metric):
    return {}


deserialize = get

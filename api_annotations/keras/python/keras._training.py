# How models are trained, judged and asked: the batches of the data, and what the loss makes of labels and outputs.
import collections.abc
import numpy as np
import tensorflow as tf
from harp_library import array, free_size, is_known, judge, outside, require, some_of, tree_leaves, tree_map, unknown
from keras._shapes import _BATCH, _free, _made, _tensor
from keras.layers._layer import Layer
from keras.losses._losses import _loss_between
from keras.metrics._metrics import Metric
from keras.optimizers._optimizers import get as _optimizer_of
from keras.preprocessing.image import Iterator
from keras.preprocessing.sequence import TimeseriesGenerator
from keras.utils._utils import Sequence


def _is_array(value):
    return isinstance(value, (np.ndarray, tf.Tensor))


def _data(value):
    """Arrays, in the containers in which a program has them. Tables and lists of numbers become arrays."""
    if value is None or _is_array(value):
        return value
    if isinstance(value, dict):
        return tree_map(_data_leaf, value)
    if isinstance(value, (list, tuple)):
        if len(value) > 0 and (_is_array(value[0]) or isinstance(value[0], (list, tuple, dict)) and _holds_array(value[0])):
            return tree_map(_data_leaf, value)
        return np.asarray(value)
    return _data_leaf(value)


def _data_leaf(value):
    if not _is_array(value) and hasattr(value, "__array__"):
        return np.asarray(value)
    return value


def _holds_array(value):
    parts = list(value.values()) if isinstance(value, dict) else value
    return len(parts) > 0 and _is_array(parts[0])


def _arrays_in(value):
    return [leaf for leaf in tree_leaves(value) if _is_array(leaf)]


def _as_many(parts):
    """All data have as many samples."""
    found = [leaf for part in parts for leaf in _arrays_in(part)]
    for leaf in found[1:]:
        judge(leaf.shape[0] == found[0].shape[0], "the data do not have the same number of samples")
    return found[0].shape[0] if len(found) > 0 else _BATCH


def _rows(value, count):
    """The data of so many samples."""
    return tree_map(lambda leaf: _first_rows(leaf, count), value)


def _first_rows(value, count):
    if _is_array(value):
        return _made((count,) + value.shape[1:], np.float32 if value.dtype == np.float64 else value.dtype)
    return value


def _is_of_arrays(value):
    if isinstance(value, collections.abc.Iterator):
        return False
    return _is_array(value) or isinstance(value, (list, tuple, dict)) or hasattr(value, "__array__")


def _element(data):
    """What a data set, a generator or a sequence of batches gives first."""
    if isinstance(data, (Sequence, Iterator, TimeseriesGenerator)):
        return data._batch_at(0)
    return next(iter(data))


def _packed(x, y, weight):
    """What a step is given: data alone as they are, unless they are several."""
    if y is None:
        return (x,) if isinstance(x, (list, tuple)) else x
    return (x, y) if weight is None else (x, y, weight)


def _parts_of(element):
    """Data, labels and weights of a batch."""
    if isinstance(element, (list, tuple)):
        x = element[0]
        y = element[1] if len(element) > 1 else None
        weight = element[2] if len(element) > 2 else None
        return x, y, weight
    return element, None, None


class History:
    def __init__(self):
        self.epoch = outside("epochs")
        self.history = outside("losses and metrics")
        self.params = {}


class _Trained(Layer):
    loss = None
    optimizer = None
    _metrics_told = None
    stop_training = False

    def compile(self, optimizer="rmsprop", loss=None, metrics=None, loss_weights=None, weighted_metrics=None, *arguments, **options):
        self.optimizer, self.loss, self._metrics_told = _optimizer_of(optimizer), loss, metrics

    def compute_loss(self, x=None, y=None, y_pred=None, sample_weight=None, training=True, *arguments, **options):
        return _loss_between(self.loss, y, y_pred, sample_weight)

    def compiled_loss(self, y_true, y_pred, sample_weight=None, *arguments, **options):
        return _loss_between(self.loss, y_true, y_pred, sample_weight)

    def compute_metrics(self, x, y, y_pred, sample_weight=None):
        return {"loss": outside("loss")}

    @property
    def compiled_metrics(self):
        return _Metrics()

    @property
    def metrics(self):
        return outside("metrics")

    @property
    def metrics_names(self):
        return outside("names of metrics")

    def get_metrics_result(self):
        return {"loss": outside("loss")}

    def reset_metrics(self):
        pass

    def _run(self, x):
        return self(x)

    def train_step(self, data):
        x, y, weight = _parts_of(data)
        y_pred = self._run(x)
        self._judged(x, y, y_pred, weight)
        return {"loss": outside("loss")}

    def test_step(self, data):
        x, y, weight = _parts_of(data)
        y_pred = self._run(x)
        self._judged(x, y, y_pred, weight)
        return {"loss": outside("loss")}

    def predict_step(self, data):
        x, y, weight = _parts_of(data)
        return self._run(x)

    def _judged(self, x, y, y_pred, weight):
        if y is None:
            return
        self.compute_loss(x, y, y_pred, weight)
        for metric in _own_metrics(self._metrics_told):
            if not isinstance(y, (list, tuple, dict)) and not isinstance(y_pred, (list, tuple, dict)):
                metric(y, y_pred)

    def _step(self, data, is_training):
        return self.train_step(data) if is_training else self.test_step(data)

    def _run_over(self, x, y, weight, batch_size, is_training, split=0.0):
        """A batch of what there is."""
        if not _is_of_arrays(x):
            if x is not None:
                self._step(_element(x), is_training)
            return
        x, y, weight = _data(x), _data(y), _data(weight)
        count = _as_many([x, y, weight])
        if split is not None and split != 0.0:
            count = int(count * (1 - split))
        size = _size_of(batch_size, count)
        self._step(_packed(_rows(x, size), _rows(y, size), _rows(weight, size)), is_training)

    def fit(self, x=None, y=None, batch_size=None, epochs=1, verbose="auto", callbacks=None, validation_split=0.0, validation_data=None,
            shuffle=True, class_weight=None, sample_weight=None, initial_epoch=0, steps_per_epoch=None, validation_steps=None,
            validation_batch_size=None, *arguments, **options):
        self._run_over(x, y, sample_weight, batch_size, True, validation_split)
        if validation_data is not None:
            if isinstance(validation_data, (list, tuple)):
                held, labels, weight = _parts_of(validation_data)
                self._run_over(held, labels, weight, batch_size, False)
            else:
                self._run_over(validation_data, None, None, batch_size, False)
        for callback in _listed(callbacks):
            if hasattr(callback, "_called_by"):
                callback._called_by(self)
        return History()

    def fit_generator(self, generator, steps_per_epoch=None, epochs=1, verbose=1, callbacks=None, validation_data=None, *arguments, **options):
        return self.fit(generator, epochs=epochs, callbacks=callbacks, validation_data=validation_data)

    def evaluate(self, x=None, y=None, batch_size=None, verbose="auto", sample_weight=None, steps=None, callbacks=None, *arguments, **options):
        self._run_over(x, y, sample_weight, batch_size, False)
        return outside("losses and metrics")

    def evaluate_generator(self, generator, *arguments, **options):
        return self.evaluate(generator)

    def train_on_batch(self, x, y=None, sample_weight=None, class_weight=None, *arguments, **options):
        self._on_batch(x, y, sample_weight, True)
        return outside("losses and metrics")

    def test_on_batch(self, x, y=None, sample_weight=None, *arguments, **options):
        self._on_batch(x, y, sample_weight, False)
        return outside("losses and metrics")

    def _on_batch(self, x, y, weight, is_training):
        x, y, weight = _data(x), _data(y), _data(weight)
        # Samples that do not fit are found where the loss compares them.
        self._step(_packed(x, y, weight), is_training)

    def predict(self, x, batch_size=None, verbose="auto", steps=None, callbacks=None, *arguments, **options):
        if not _is_of_arrays(x):
            return _stacked(self.predict_step(_element(x)), None, free_size("samples", 1))
        x = _data(x)
        count = _as_many([x])
        size = _size_of(batch_size, count)
        return _stacked(self.predict_step(_packed(_rows(x, size), None, None)), size, count)

    def predict_generator(self, generator, *arguments, **options):
        return self.predict(generator)

    def predict_on_batch(self, x):
        x = _data(x)
        return _stacked(self.predict_step(_packed(x, None, None)), None, None)

    def predict_classes(self, x, *arguments, **options):
        result = self.predict(x)
        return array(result.shape[:-1], np.int64)

    predict_proba = predict

    def summary(self, *arguments, **options):
        pass

    def save(self, *arguments, **options):
        pass

    save_weights = load_weights = export = reset_states = reset_state = save
    quantize = save

    def to_json(self, *arguments, **options):
        return str(outside("model"))

    to_yaml = to_json

    def make_train_function(self, *arguments, **options):
        return self.train_step

    make_test_function = make_predict_function = make_train_function


class _Metrics:
    def update_state(self, *arguments, **options):
        pass

    def reset_state(self):
        pass


def _own_metrics(metrics):
    """The metrics that are objects or functions; those with a name ask for no more than the loss does."""
    if isinstance(metrics, (list, tuple)):
        return [metric for metric in metrics if isinstance(metric, Metric)]
    return []


def _listed(value):
    return value if isinstance(value, (list, tuple)) else []


def _size_of(batch_size, count):
    """How many samples the first batch has."""
    if batch_size is None:
        batch_size = 32
    return min(batch_size, count)


def _stacked(value, size, count):
    """What a model says of all samples, as arrays: a size that is not the batch stays."""
    return tree_map(lambda leaf: array(leaf.shape if count is None else (count,) + leaf.shape[1:], leaf.dtype), value)

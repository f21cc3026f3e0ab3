# Metrics: what they are given must fit, and their result is a number.
import numpy as np
import keras.ops as _ops
import keras.losses._losses as _losses
from harp_library import is_known, judge, outside, require
from keras._shapes import _made, _tensor
from keras.losses._losses import _float, _same_rank


class Metric:
    def __init__(self, dtype=None, name=None, **options):
        self.name = name

    def add_weight(self, *arguments, shape=None, **options):
        places = [value for value in arguments if not isinstance(value, str)]
        if shape is None:
            shape = places[0] if len(places) > 0 and places[0] is not None else ()
        return _made(tuple(shape))

    add_variable = add_weight

    def update_state(self, *arguments, **options):
        pass

    def result(self):
        return _made(())

    def reset_state(self):
        pass

    reset_states = reset_state

    def __call__(self, *arguments, **options):
        self.update_state(*arguments, **options)
        return self.result()

    def get_config(self):
        return {"name": self.name}

    @property
    def variables(self):
        return outside("variables of a metric")

    weights = variables


class Mean(Metric):
    def update_state(self, values, sample_weight=None):
        if sample_weight is not None:
            values, weight = _same_rank(_float(values), _float(sample_weight))
            _ops.multiply(values, weight)


class Sum(Mean):
    pass


class MeanTensor(Metric):
    def __init__(self, shape=None, name=None, dtype=None, **options):
        self.name, self._shape = name, shape

    def update_state(self, values, sample_weight=None):
        self._shape = _tensor(values).shape

    def result(self):
        return _made(self._shape)

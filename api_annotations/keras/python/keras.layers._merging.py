# Layers that make one tensor of several. The batch is the same in all of them.
import numpy as np
import keras.ops as _ops
from harp_library import is_known, judge, require
from keras._joins import _joined, _one_of
from keras._shapes import _axis, _is_open, _layer_dtype, _made, _tensor
from keras.layers._layer import Layer


class _Merge(Layer):
    def __init__(self, **options):
        self._begin(**options)

    def call(self, inputs, training=None):
        require(isinstance(inputs, (list, tuple)), "the layer takes a list of tensors")
        inputs = [_tensor(part) for part in inputs]
        batch = _one_of([part.shape[0] for part in inputs], "the tensors must have the same batch")
        rank = max([part.ndim for part in inputs])
        total = self._row(inputs[0], rank)
        for part in inputs[1:]:
            total = _ops.add(total, self._row(part, rank))
        return _made((batch,) + total.shape, _layer_dtype(inputs[0]))

    def _row(self, part, rank):
        """A sample, which gets the axes that it lacks in front."""
        return _made((1,) * (rank - part.ndim) + part.shape[1:], _layer_dtype(part))


class Add(_Merge):
    pass


class Multiply(_Merge):
    pass


class Average(_Merge):
    pass


class Maximum(_Merge):
    pass


class Minimum(_Merge):
    pass


class Subtract(_Merge):
    def call(self, inputs, training=None):
        require(len(inputs) == 2, "one tensor is subtracted from another")
        return super().call(inputs)


def add(inputs, **options):
    return Add()(inputs)


def multiply(inputs, **options):
    return Multiply()(inputs)


def average(inputs, **options):
    return Average()(inputs)


def maximum(inputs, **options):
    return Maximum()(inputs)


def minimum(inputs, **options):
    return Minimum()(inputs)


def subtract(inputs, **options):
    return Subtract()(inputs)


class Concatenate(Layer):
    def __init__(self, axis=-1, **options):
        self._begin(**options)
        self.axis = axis

    def call(self, inputs, training=None):
        require(isinstance(inputs, (list, tuple)), "the layer takes a list of tensors")
        return _joined([_tensor(part) for part in inputs], self.axis)


def concatenate(inputs, axis=-1, **options):
    return Concatenate(axis)(inputs)


class Dot(Layer):
    """Sums over an axis of each of two tensors, sample by sample."""

    def __init__(self, axes, normalize=False, **options):
        self._begin(**options)
        self.axes = axes

    def call(self, inputs, training=None):
        require(len(inputs) == 2, "the layer takes two tensors")
        left, right = _tensor(inputs[0]), _tensor(inputs[1])
        axes = [self.axes, self.axes] if isinstance(self.axes, int) else self.axes
        first, second = _axis(axes[0], left.ndim), _axis(axes[1], right.ndim)
        for part, axis in [(left, first), (right, second)]:
            require(part.ndim >= 2, "the tensors have a batch and another axis")
            require(axis < part.ndim, "the tensors lack the axis over which is summed")
            require(axis >= 1, "the batch is not summed over")
        message = "the axes over which is summed must have the same size"
        size, other = left.shape[first], right.shape[second]
        if is_known(size) != is_known(other):
            # A size that is left open is not the same as one that is not.
            require(not _is_open(size), message)
            require(not _is_open(other), message)
        if not _is_open(size) and not _is_open(other):
            require(size == other, message)
        batch = _one_of([left.shape[0], right.shape[0]], "the tensors must have the same batch")
        rest = [left.shape[place] for place in range(1, left.ndim) if place != first]
        rest = rest + [right.shape[place] for place in range(1, right.ndim) if place != second]
        return _made((batch,) + (tuple(rest) if len(rest) > 0 else (1,)))


def dot(inputs, axes=-1, normalize=False, **options):
    return Dot(axes, normalize)(inputs)

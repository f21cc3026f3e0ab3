# Layers that run another layer: in both directions, or at each step.
import keras.ops as _ops
from harp_library import is_known, require
from keras._shapes import _is_open, _made, _taken, _tensor
from keras.layers._layer import Layer, _count_of


class Bidirectional(Layer):
    def __init__(self, layer, merge_mode="concat", weights=None, backward_layer=None, **options):
        self._begin(**options)
        self.forward_layer, self.backward_layer, self.merge_mode = layer, backward_layer, merge_mode
        if self._given_shape is None:
            self._given_shape = layer._given_shape

    def call(self, sequences, initial_state=None, mask=None, training=None):
        if initial_state is not None:
            half = len(initial_state) // 2
            given = self.forward_layer(sequences, initial_state=initial_state[:half])
        else:
            given = self.forward_layer(sequences)
        other = given if self.backward_layer is None else self.backward_layer(sequences)
        if not isinstance(given, (list, tuple)):
            return self._merged(given, other)
        states = tuple(given[1:]) + tuple(other[1:])
        output = self._merged(given[0], other[0])
        return (output + states) if isinstance(output, tuple) else (output,) + states

    def _merged(self, left, right):
        if self.merge_mode is None:
            return left, right
        if self.merge_mode == "concat":
            return _made(left.shape[:-1] + (left.shape[-1] + right.shape[-1],))
        return left

    def _layers_within(self):
        return [self.forward_layer, self.forward_layer if self.backward_layer is None else self.backward_layer]

    def reset_states(self, *arguments, **options):
        pass

    reset_state = reset_states


class TimeDistributed(Layer):
    def __init__(self, layer, **options):
        self._begin(**options)
        self.layer = layer
        if self._given_shape is None and layer._given_shape is not None:
            # The shape of the inner layer has no steps.
            self._given_shape = None

    def call(self, inputs, training=None, mask=None):
        inputs = _tensor(inputs)
        require(inputs.ndim >= 3, "the layer takes an input with a batch, steps and more")
        shape = inputs.shape
        step = self.layer._stepped(_made(shape[:1] + shape[2:], inputs.dtype))
        if isinstance(step, (list, tuple)):
            return tuple([_made(shape[:2] + part.shape[1:], part.dtype) for part in step])
        return _made(shape[:2] + step.shape[1:], step.dtype)

# Recurrent cells that know how many features they take.
import numpy as np
from flax.linen.recurrent import _joined, _same_carry, _with_time, _without
from flax.nnx._graph import Module
from flax.nnx._layers import Linear
from harp_library import judge, tensor, tree_map


class RNNCellBase(Module):
    def _carry(self, input_shape):
        return tensor(tuple(input_shape[:-1]) + (self.hidden_features,), self.param_dtype, "jax.Array")

    def initialize_carry(self, input_shape, rngs=None, carry_init=None):
        return self._carry(input_shape)

    @property
    def num_feature_axes(self):
        return 1

    def _set(self, in_features, hidden_features, dtype, param_dtype):
        self.in_features, self.hidden_features, self.dtype, self.param_dtype = in_features, hidden_features, dtype, param_dtype

    def _linear(self, in_features, out_features, use_bias):
        return Linear(in_features, out_features, use_bias=use_bias, dtype=self.dtype, param_dtype=self.param_dtype)


class LSTMCell(RNNCellBase):
    _holds = ("ii", "if_", "ig", "io", "hi", "hf", "hg", "ho")

    def __init__(self, in_features, hidden_features, *, dtype=None, param_dtype=np.float32, rngs=None, **options):
        self._set(in_features, hidden_features, dtype, param_dtype)
        self.ii, self.if_ = self._linear(in_features, hidden_features, False), self._linear(in_features, hidden_features, False)
        self.ig, self.io = self._linear(in_features, hidden_features, False), self._linear(in_features, hidden_features, False)
        self.hi, self.hf = self._linear(hidden_features, hidden_features, True), self._linear(hidden_features, hidden_features, True)
        self.hg, self.ho = self._linear(hidden_features, hidden_features, True), self._linear(hidden_features, hidden_features, True)

    def __call__(self, carry, inputs):
        c, h = carry
        gates = self.ii._applied(inputs) + self.hi._applied(h)
        new_c = gates * c + gates
        new_h = gates * new_c
        return (new_c, new_h), new_h

    def initialize_carry(self, input_shape, rngs=None, carry_init=None):
        return self._carry(input_shape), self._carry(input_shape)


class OptimizedLSTMCell(RNNCellBase):
    _holds = ("dense_i", "dense_h")

    def __init__(self, in_features, hidden_features, *, dtype=None, param_dtype=np.float32, rngs=None, **options):
        self._set(in_features, hidden_features, dtype, param_dtype)
        self.dense_i = self._linear(in_features, 4 * hidden_features, False)
        self.dense_h = self._linear(hidden_features, 4 * hidden_features, True)

    def __call__(self, carry, inputs):
        c, h = carry
        gates = (self.dense_i._applied(inputs) + self.dense_h._applied(h))[..., : self.hidden_features]
        new_c = gates * c + gates
        new_h = gates * new_c
        return (new_c, new_h), new_h

    def initialize_carry(self, input_shape, rngs=None, carry_init=None):
        return self._carry(input_shape), self._carry(input_shape)


class GRUCell(RNNCellBase):
    _holds = ("dense_i", "dense_h")

    def __init__(self, in_features, hidden_features, *, dtype=None, param_dtype=np.float32, rngs=None, **options):
        self._set(in_features, hidden_features, dtype, param_dtype)
        self.dense_i = self._linear(in_features, 3 * hidden_features, True)
        self.dense_h = self._linear(hidden_features, 3 * hidden_features, False)

    def __call__(self, carry, inputs):
        gates = (self.dense_i._applied(inputs) + self.dense_h._applied(carry))[..., : self.hidden_features]
        new = gates * gates + gates * carry
        return new, new


class SimpleCell(RNNCellBase):
    _holds = ("dense_i", "dense_h")

    def __init__(self, in_features, hidden_features, *, dtype=np.float32, param_dtype=np.float32, residual=False, rngs=None, **options):
        self._set(in_features, hidden_features, dtype, param_dtype)
        self.dense_i = self._linear(in_features, hidden_features, True)
        self.dense_h = self._linear(hidden_features, hidden_features, False)

    def __call__(self, carry, inputs):
        new = self.dense_i._applied(inputs) + self.dense_h._applied(carry)
        return new, new


class RNN(Module):
    def __init__(self, cell, *, time_major=False, return_carry=False, reverse=False, keep_order=False, unroll=1, rngs=None, **options):
        self.cell, self.time_major, self.return_carry = cell, time_major, return_carry

    def __call__(
        self, inputs, *, initial_carry=None, seq_lengths=None, return_carry=None, time_major=None, reverse=None, keep_order=None, rngs=None
    ):
        return_carry = self.return_carry if return_carry is None else return_carry
        time_major = self.time_major if time_major is None else time_major
        features = self.cell.num_feature_axes
        judge(inputs.ndim >= features + 1, f"the input needs an axis of time and {features} of features, got {inputs.ndim} axes")
        axis = 0 if time_major else inputs.ndim - features - 1
        one = tensor(_without(inputs.shape, axis), inputs.dtype, "jax.Array")
        carry = self.cell.initialize_carry(one.shape) if initial_carry is None else initial_carry
        new, output = self.cell(carry, one)
        _same_carry(carry, new)
        outputs = tree_map(lambda leaf: _with_time(leaf, axis, inputs.shape[axis]), output)
        return (new, outputs) if return_carry else outputs


class Bidirectional(Module):
    def __init__(self, forward_rnn, backward_rnn, *, merge_fn=_joined, time_major=False, return_carry=False, rngs=None):
        self.forward_rnn, self.backward_rnn, self.merge_fn = forward_rnn, backward_rnn, merge_fn
        self.time_major, self.return_carry = time_major, return_carry

    def __call__(
        self, inputs, *, initial_carry=None, rngs=None, seq_lengths=None, return_carry=None, time_major=None, reverse=None, keep_order=None
    ):
        return_carry = self.return_carry if return_carry is None else return_carry
        time_major = self.time_major if time_major is None else time_major
        first, second = (None, None) if initial_carry is None else initial_carry
        carry, outputs = self.forward_rnn(inputs, initial_carry=first, return_carry=True, time_major=time_major)
        back_carry, back_outputs = self.backward_rnn(inputs, initial_carry=second, return_carry=True, time_major=time_major)
        merged = tree_map(self.merge_fn, outputs, back_outputs)
        return ((carry, back_carry), merged) if return_carry else merged

# Recurrent cells and what runs them along an axis.
import numpy as np
from flax.linen._scope import _hold
from flax.linen._windows import _each, _windows
from flax.linen.linear import _computed, _several
from flax.linen.module import Module, compact
from harp_library import is_known, judge, require, tensor, tree_map
from jax.numpy import concatenate as _concatenate


class RNNCellBase(Module):
    def _dense(self, name, inputs, features, use_bias):
        # What a dense layer of the cell gives.
        scope = None if self.scope is None else self.scope.child(name)
        _hold(scope, "params", "kernel", tensor((inputs.shape[-1], features), self.param_dtype, "jax.Array"))
        if use_bias:
            _hold(scope, "params", "bias", tensor((features,), self.param_dtype, "jax.Array"))
        return tensor(inputs.shape[:-1] + (features,), _computed(self.dtype, self.param_dtype, inputs), "jax.Array")

    def _carry(self, input_shape):
        return tensor(tuple(input_shape[:-1]) + (self.features,), self.param_dtype, "jax.Array")

    def initialize_carry(self, rng, input_shape):
        return self._carry(input_shape)

    @property
    def num_feature_axes(self):
        return 1


class LSTMCell(RNNCellBase):
    features: int
    gate_fn: object = None
    activation_fn: object = None
    kernel_init: object = None
    recurrent_kernel_init: object = None
    bias_init: object = None
    dtype: object = None
    param_dtype: object = np.float32
    carry_init: object = None

    def __call__(self, carry, inputs):
        c, h = carry
        size = h.shape[-1]
        for gate in ("i", "f", "g", "o"):
            given = self._dense("i" + gate, inputs, size, False)
            gates = given + self._dense("h" + gate, h, size, True)
        new_c = gates * c + gates
        new_h = gates * new_c
        return (new_c, new_h), new_h

    def initialize_carry(self, rng, input_shape):
        return self._carry(input_shape), self._carry(input_shape)


class OptimizedLSTMCell(LSTMCell):
    pass


class SimpleCell(RNNCellBase):
    features: int
    activation_fn: object = None
    kernel_init: object = None
    recurrent_kernel_init: object = None
    bias_init: object = None
    dtype: object = None
    param_dtype: object = np.float32
    carry_init: object = None
    residual: bool = False

    def __call__(self, carry, inputs):
        new = self._dense("i", inputs, carry.shape[-1], True) + self._dense("h", carry, carry.shape[-1], False)
        if self.residual:
            new = new + carry
        return new, new


class GRUCell(RNNCellBase):
    features: int
    gate_fn: object = None
    activation_fn: object = None
    kernel_init: object = None
    recurrent_kernel_init: object = None
    bias_init: object = None
    dtype: object = None
    param_dtype: object = np.float32
    carry_init: object = None

    def __call__(self, carry, inputs):
        size = carry.shape[-1]
        for gate in ("r", "z", "n"):
            gates = self._dense("i" + gate, inputs, size, True) + self._dense("h" + gate, carry, size, gate == "n")
        new = gates * gates + gates * carry
        return new, new


class MGUCell(RNNCellBase):
    features: int
    gate_fn: object = None
    activation_fn: object = None
    kernel_init: object = None
    recurrent_kernel_init: object = None
    forget_bias_init: object = None
    activation_bias_init: object = None
    dtype: object = None
    param_dtype: object = np.float32
    carry_init: object = None
    reset_gate: bool = True

    def __call__(self, carry, inputs):
        size = carry.shape[-1]
        gates = self._dense("if", inputs, size, True) + self._dense("hf", carry, size, False)
        self._dense("in", inputs, size, True)
        self._dense("hn", carry, size, False)
        new = gates * gates + gates * carry
        return new, new


class ConvLSTMCell(RNNCellBase):
    features: int
    kernel_size: object
    strides: object = None
    padding: object = "SAME"
    use_bias: bool = True
    dtype: object = None
    param_dtype: object = np.float32
    carry_init: object = None

    def _gates(self, name, inputs):
        windows = _several(self.kernel_size)
        count = len(windows)
        scope = None if self.scope is None else self.scope.child(name)
        _hold(scope, "params", "kernel", tensor((*windows, inputs.shape[-1], 4 * self.features), self.param_dtype, "jax.Array"))
        if self.use_bias:
            _hold(scope, "params", "bias", tensor((4 * self.features,), self.param_dtype, "jax.Array"))
        sizes = _windows(inputs, windows, _each(self.strides, count), self.padding, (1,) * count, (1,) * count)
        return tensor(inputs.shape[: -count - 1] + tuple(sizes) + (self.features,), _computed(self.dtype, self.param_dtype, inputs), "jax.Array")

    def __call__(self, carry, inputs):
        c, h = carry
        gates = self._gates("ih", inputs) + self._gates("hh", h)
        new_c = gates * c + gates
        new_h = gates * new_c
        return (new_c, new_h), new_h

    def initialize_carry(self, rng, input_shape):
        return self._carry(input_shape), self._carry(input_shape)

    @property
    def num_feature_axes(self):
        return len(_several(self.kernel_size)) + 1


def _without(shape, axis):
    return tuple(shape[:axis]) + tuple(shape[axis + 1 :])


def _with_time(leaf, axis, length):
    return tensor(tuple(leaf.shape[:axis]) + (length,) + tuple(leaf.shape[axis:]), leaf.dtype, "jax.Array")


def _same_carry(carry, new):
    # What a step makes of a carry has its shape.
    def same(old, changed):
        if hasattr(old, "shape") and hasattr(changed, "shape"):
            require(old.ndim == changed.ndim, f"a step makes shape {changed.shape} of a carry with shape {old.shape}")
            for axis in range(old.ndim):
                require(old.shape[axis] == changed.shape[axis], f"a step makes shape {changed.shape} of a carry with shape {old.shape}")
        return old

    return tree_map(same, carry, new)


class RNN(Module):
    cell: RNNCellBase
    time_major: bool = False
    return_carry: bool = False
    reverse: bool = False
    keep_order: bool = False
    unroll: int = 1
    variable_axes: object = None
    variable_broadcast: object = "params"
    variable_carry: object = False
    split_rngs: object = None

    def __call__(
        self, inputs, *, initial_carry=None, init_key=None, seq_lengths=None, return_carry=None, time_major=None, reverse=None, keep_order=None
    ):
        return_carry = self.return_carry if return_carry is None else return_carry
        time_major = self.time_major if time_major is None else time_major
        features = self.cell.num_feature_axes
        judge(inputs.ndim >= features + 1, f"the input needs an axis of time and {features} of features, got {inputs.ndim} axes")
        axis = 0 if time_major else inputs.ndim - features - 1
        one = tensor(_without(inputs.shape, axis), inputs.dtype, "jax.Array")
        carry = self.cell.initialize_carry(init_key, one.shape) if initial_carry is None else initial_carry
        new, output = self.cell(carry, one)
        _same_carry(carry, new)
        outputs = tree_map(lambda leaf: _with_time(leaf, axis, inputs.shape[axis]), output)
        return (new, outputs) if return_carry else outputs


def _joined(a, b):
    return _concatenate([a, b], axis=-1)


class Bidirectional(Module):
    forward_rnn: object
    backward_rnn: object
    merge_fn: object = _joined
    time_major: bool = False
    return_carry: bool = False

    def __call__(
        self, inputs, *, initial_carry=None, init_key=None, seq_lengths=None, return_carry=None, time_major=None, reverse=None, keep_order=None
    ):
        return_carry = self.return_carry if return_carry is None else return_carry
        time_major = self.time_major if time_major is None else time_major
        first, second = (None, None) if initial_carry is None else initial_carry
        carry, outputs = self.forward_rnn(inputs, initial_carry=first, return_carry=True, time_major=time_major)
        back_carry, back_outputs = self.backward_rnn(inputs, initial_carry=second, return_carry=True, time_major=time_major, reverse=True)
        merged = tree_map(self.merge_fn, outputs, back_outputs)
        return ((carry, back_carry), merged) if return_carry else merged

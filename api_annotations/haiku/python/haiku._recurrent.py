# Recurrent cores and what runs them along an axis.
from collections import namedtuple

import jax
from haiku._frames import Module
from haiku._layers import Linear
from harp_library import judge
from jax.numpy import concatenate, matmul, split, zeros

LSTMState = namedtuple("LSTMState", ["hidden", "cell"])


class RNNCore(Module):
    pass


def _start(size, batch_size):
    return zeros((size,) if batch_size is None else (batch_size, size))


def _judged(inputs):
    judge(inputs.ndim >= 1, "a core takes one example, or a batch of them: one or two axes")
    judge(inputs.ndim <= 2, "a core takes one example, or a batch of them: one or two axes")


class LSTM(RNNCore):
    def __init__(self, hidden_size, name=None):
        super().__init__(name=name)
        self.hidden_size = hidden_size

    def __call__(self, inputs, prev_state):
        _judged(inputs)
        gated = Linear(4 * self.hidden_size)(concatenate([inputs, prev_state.hidden], axis=-1))
        gate = split(gated, 4, axis=-1)[0]
        cell = gate * prev_state.cell + gate
        hidden = gate * cell
        return hidden, LSTMState(hidden, cell)

    def initial_state(self, batch_size):
        return LSTMState(_start(self.hidden_size, batch_size), _start(self.hidden_size, batch_size))


class GRU(RNNCore):
    def __init__(self, hidden_size, w_i_init=None, w_h_init=None, b_init=None, name=None):
        super().__init__(name=name)
        self.hidden_size, self.w_i_init, self.w_h_init, self.b_init = hidden_size, w_i_init, w_h_init, b_init

    def __call__(self, inputs, state):
        _judged(inputs)
        size = self.hidden_size
        w_i = self._weight("w_i", (inputs.shape[-1], 3 * size), inputs.dtype, self.w_i_init)
        w_h = self._weight("w_h", (size, 3 * size), inputs.dtype, self.w_h_init)
        b = self._weight("b", (3 * size,), inputs.dtype, self.b_init)
        gate = split(matmul(inputs, w_i) + matmul(state, w_h) + b, 3, axis=-1)[0]
        new = gate * state + gate
        return new, new

    def initial_state(self, batch_size):
        return _start(self.hidden_size, batch_size)


class VanillaRNN(RNNCore):
    def __init__(self, hidden_size, double_bias=True, name=None):
        super().__init__(name=name)
        self.hidden_size, self.double_bias = hidden_size, double_bias

    def __call__(self, inputs, prev_state):
        out = Linear(self.hidden_size)(inputs) + Linear(self.hidden_size, with_bias=self.double_bias)(prev_state)
        return out, out

    def initial_state(self, batch_size):
        return _start(self.hidden_size, batch_size)


class IdentityCore(RNNCore):
    def __call__(self, inputs, state):
        return inputs, state

    def initial_state(self, batch_size):
        return ()


class ResetCore(RNNCore):
    def __init__(self, core, name=None):
        super().__init__(name=name)
        self.core = core

    def __call__(self, inputs, state):
        inputs, should_reset = inputs
        return self.core(inputs, state)

    def initial_state(self, batch_size):
        return self.core.initial_state(batch_size)


class DeepRNN(RNNCore):
    def __init__(self, layers, name=None):
        super().__init__(name=name)
        self.layers = list(layers)

    def __call__(self, inputs, state):
        states, place, out = [], 0, inputs
        for layer in self.layers:
            if isinstance(layer, RNNCore):
                out, after = layer(out, state[place])
                states.append(after)
                place += 1
            else:
                out = layer(out)
        return out, tuple(states)

    def initial_state(self, batch_size):
        return tuple([layer.initial_state(batch_size) for layer in self.layers if isinstance(layer, RNNCore)])


def _step_of(tree, axis):
    return jax.tree_util.tree_map(lambda x: x[0] if axis == 0 else x[:, 0], tree)


def dynamic_unroll(core, input_sequence, initial_state, time_major=True, reverse=False, return_all_states=False, unroll=1):
    # Each step gives what the first one gives, and the state keeps its shape.
    axis = 0 if time_major else 1
    length = jax.tree_util.tree_leaves(input_sequence)[0].shape[axis]
    output, state = core(_step_of(input_sequence, axis), initial_state)
    jax.lax.scan(lambda carry, _: (state, None), initial_state, None, 1)
    outputs = _repeated(output, length, axis)
    return outputs, _repeated(state, length, axis) if return_all_states else state


def static_unroll(core, input_sequence, initial_state, time_major=True):
    return dynamic_unroll(core, input_sequence, initial_state, time_major)


def _repeated(tree, length, axis):
    return jax.tree_util.tree_map(lambda x: jax.numpy.repeat(jax.numpy.expand_dims(x, axis), length, axis), tree)

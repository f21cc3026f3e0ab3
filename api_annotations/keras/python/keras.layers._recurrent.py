# Layers that go along a sequence, and the cells that make one step of it.
import numpy as np
from harp_library import is_known, judge, require
from keras._shapes import _is_first, _is_open, _made, _several, _tensor, _window
from keras.layers._layer import Layer


def _states_fit(states, batch, sizes):
    """Each state has a row for each sample."""
    require(len(states) == len(sizes), "there must be as many states as the layer has")
    for state, size in zip(states, sizes):
        state = _tensor(state)
        judge(state.ndim == 2, "a state has a batch and units")
        if is_known(state.ndim) and state.ndim == 2:
            rows, units = state.shape
            if not _is_open(units):
                require(units == size, "a state does not have the units of the layer")
            # A single row is repeated.
            if is_known(rows) and is_known(batch) and rows != 1 and batch != 1:
                require(rows == batch, "a state does not have the batch of the input")


class _Cell(Layer):
    """One step: the output, and the states after it."""

    _gates, _states = 1, 1

    def __init__(self, units, *arguments, use_bias=True, **options):
        self._begin(**options)
        self.units, self.use_bias = units, use_bias
        self.state_size = units if self._states == 1 else [units] * self._states
        self.output_size = units

    def build(self, input_shape):
        self._features = input_shape[-1]
        self.kernel = self.add_weight((input_shape[-1], self._gates * self.units))
        self.recurrent_kernel = self.add_weight((self.units, self._gates * self.units))
        if self.use_bias:
            self._add_bias()
        self.built = True

    def _add_bias(self):
        self.bias = self.add_weight((self._gates * self.units,))

    def call(self, inputs, states=None, training=None):
        inputs = _tensor(inputs)
        require(inputs.ndim == 2, "a step takes an input with a batch and features")
        require(inputs.shape[-1] == self._features, "the features are not those that the cell was built for")
        given = states if isinstance(states, (list, tuple)) else [states]
        if states is not None:
            _states_fit(given[:self._states], inputs.shape[0], [self.units] * self._states)
        new = [_made(inputs.shape[:-1] + (self.units,)) for number in range(self._states)]
        if self._states == 1 and states is not None and not isinstance(states, (list, tuple)):
            new = new[0]
        return _made(inputs.shape[:-1] + (self.units,)), new

    def get_initial_state(self, batch_size=None, *arguments, **options):
        return [_made((batch_size, self.units)) for number in range(self._states)]


class SimpleRNNCell(_Cell):
    pass


class GRUCell(_Cell):
    _gates = 3

    def __init__(self, units, *arguments, reset_after=True, **options):
        super().__init__(units, **options)
        self.reset_after = reset_after

    def _add_bias(self):
        self.bias = self.add_weight((2, 3 * self.units) if self.reset_after else (3 * self.units,))


class LSTMCell(_Cell):
    _gates, _states = 4, 2


class StackedRNNCells(Layer):
    def __init__(self, cells, **options):
        self._begin(**options)
        self.cells = list(cells)

    @property
    def state_size(self):
        return [cell.state_size for cell in self.cells]

    @property
    def output_size(self):
        return _output_of(self.cells[-1])

    def call(self, inputs, states=None, training=None, **options):
        new = []
        for number in range(len(self.cells)):
            inputs, state = self.cells[number](inputs, self._first_states(number, inputs) if states is None else states[number])
            new.append(state)
        return inputs, new

    def _first_states(self, number, inputs):
        size = self.cells[number].state_size
        return [_made((inputs.shape[0], one)) for one in (size if isinstance(size, (list, tuple)) else [size])]

    def get_initial_state(self, batch_size=None, *arguments, **options):
        return [cell.get_initial_state(batch_size) for cell in self.cells]


def _output_of(cell):
    if hasattr(cell, "output_size"):
        return cell.output_size
    return cell.state_size[0] if isinstance(cell.state_size, (list, tuple)) else cell.state_size


class _Recurrent(Layer):
    """What all that goes along a sequence shares."""

    _is_recurrent = True

    def _set(self, return_sequences, return_state, go_backwards, stateful):
        self.return_sequences, self.return_state = return_sequences, return_state
        self.go_backwards, self.stateful = go_backwards, stateful

    def _fixes_batch(self, shape):
        self._batch = None
        if self.stateful:
            require(not _is_open(shape[0]), "a stateful layer must know the batch")
            self._batch = shape[0]

    def _same_batch(self, shape):
        if self.stateful:
            require(shape[0] == self._batch, "a stateful layer keeps the states of another batch")

    def reset_states(self, *arguments, **options):
        pass

    reset_state = reset_states


class _OfUnits(_Recurrent):
    _gates, _states = 1, 1

    def __init__(self, units, *arguments, use_bias=True, return_sequences=False, return_state=False, go_backwards=False, stateful=False,
                 **options):
        self._begin(**options)
        self.units, self.use_bias = units, use_bias
        self._set(return_sequences, return_state, go_backwards, stateful)

    def build(self, input_shape):
        require(len(input_shape) == 3, "the layer takes an input with a batch, steps and features")
        self._features = input_shape[-1]
        self.add_weight((input_shape[-1], self._gates * self.units))
        self.add_weight((self.units, self._gates * self.units))
        if self.use_bias:
            self._add_bias()
        self._fixes_batch(input_shape)
        self.built = True

    def _add_bias(self):
        self.add_weight((self._gates * self.units,))

    def call(self, sequences, initial_state=None, mask=None, training=None):
        states = None
        if isinstance(sequences, (list, tuple)):
            # States behind the input, as older versions take them.
            states, sequences = sequences[1:], sequences[0]
        sequences = _tensor(sequences)
        shape = sequences.shape
        require(sequences.ndim == 3, "the layer takes an input with a batch, steps and features")
        require(shape[-1] == self._features, "the features are not those that the layer was built for")
        self._same_batch(shape)
        if initial_state is not None:
            states = initial_state if isinstance(initial_state, (list, tuple)) else [initial_state]
        if states is not None:
            _states_fit(states, shape[0], [self.units] * self._states)
        last = (shape[0], self.units)
        output = _made((shape[0], shape[1], self.units) if self.return_sequences else last)
        if not self.return_state:
            return output
        return (output,) + tuple([_made(last) for number in range(self._states)])

    def _build_for(self, arguments, options):
        first = arguments[0] if len(arguments) > 0 else options.get("sequences", options.get("inputs"))
        first = first[0] if isinstance(first, (list, tuple)) else first
        self.build(_tensor(first).shape)
        self.built = True


class SimpleRNN(_OfUnits):
    pass


class GRU(_OfUnits):
    _gates = 3

    def __init__(self, units, *arguments, reset_after=True, **options):
        super().__init__(units, **options)
        self.reset_after = reset_after

    def _add_bias(self):
        self.add_weight((2, 3 * self.units) if self.reset_after else (3 * self.units,))


class LSTM(_OfUnits):
    _gates, _states = 4, 2


CuDNNGRU = GRU
CuDNNLSTM = LSTM


class RNN(_Recurrent):
    """Runs a cell, which may be the program's own, along the steps."""

    def __init__(self, cell, return_sequences=False, return_state=False, go_backwards=False, stateful=False, *arguments, **options):
        self._begin(**options)
        self.cell = StackedRNNCells(cell) if isinstance(cell, (list, tuple)) else cell
        self._set(return_sequences, return_state, go_backwards, stateful)

    def build(self, input_shape):
        require(len(input_shape) >= 3, "the layer takes an input with a batch, steps and features")
        self._fixes_batch(input_shape)
        self.built = True

    def call(self, sequences, initial_state=None, mask=None, training=None, constants=None):
        sequences = _tensor(sequences)
        shape = sequences.shape
        require(sequences.ndim >= 3, "the layer takes an input with a batch, steps and features")
        self._same_batch(shape)
        step = _made(shape[:1] + shape[2:])
        states = self._first_states(shape[0]) if initial_state is None else initial_state
        states = list(states) if isinstance(states, (list, tuple)) else [states]
        output, new = self.cell(step, states)
        new = tuple(new) if isinstance(new, (list, tuple)) else (new,)
        if self.return_sequences:
            output = _made((shape[0], shape[1]) + output.shape[1:], output.dtype)
        return (output,) + new if self.return_state else output

    def _first_states(self, batch):
        sizes = self.cell.state_size
        return [self._first_state(batch, size) for size in (sizes if isinstance(sizes, (list, tuple)) else [sizes])]

    def _first_state(self, batch, size):
        if isinstance(size, (list, tuple)):
            return [_made((batch, one)) for one in size]
        return _made((batch, size))


class _ConvolutionLSTM(_Recurrent):
    _count = 2

    def __init__(self, filters, kernel_size, strides=1, padding="valid", data_format=None, dilation_rate=1, *arguments, use_bias=True,
                 return_sequences=False, return_state=False, go_backwards=False, stateful=False, **options):
        self._begin(**options)
        self.filters, self.padding, self.data_format, self.use_bias = filters, padding.lower(), data_format, use_bias
        self.kernel_size, self.strides = _several(kernel_size, self._count), _several(strides, self._count)
        self.dilation_rate = _several(dilation_rate, self._count)
        self._set(return_sequences, return_state, go_backwards, stateful)

    def _channels_of(self, shape):
        return shape[2] if _is_first(self.data_format) else shape[-1]

    def build(self, input_shape):
        require(len(input_shape) == self._count + 3, f"the layer takes an input with {self._count + 3} axes")
        self._channels = self._channels_of(input_shape)
        for size in input_shape[2:]:
            require(not _is_open(size), "the axes of space must have known sizes")
        self.add_weight(self.kernel_size + (self._channels, 4 * self.filters))
        self.add_weight(self.kernel_size + (self.filters, 4 * self.filters))
        if self.use_bias:
            self.add_weight((4 * self.filters,))
        self._fixes_batch(input_shape)
        self.built = True

    def call(self, sequences, initial_state=None, mask=None, training=None):
        sequences = _tensor(sequences)
        shape, first = sequences.shape, _is_first(self.data_format)
        require(sequences.ndim == self._count + 3, f"the layer takes an input with {self._count + 3} axes")
        require(self._channels_of(shape) == self._channels, "the channels of the input are not those that the layer was built for")
        self._same_batch(shape)
        space, found = shape[3:] if first else shape[2:-1], []
        for place in range(self._count):
            kernel, dilation = self.kernel_size[place], self.dilation_rate[place]
            if self.padding == "valid":
                require(space[place] >= (kernel - 1) * dilation + 1, "the kernel is larger than the input")
            found.append(_window(space[place], kernel, self.strides[place], dilation, self.padding))
        sizes = (self.filters,) + tuple(found) if first else tuple(found) + (self.filters,)
        last = (shape[0],) + sizes
        output = _made((shape[0], shape[1]) + sizes if self.return_sequences else last)
        return (output, _made(last), _made(last)) if self.return_state else output


class ConvLSTM1D(_ConvolutionLSTM):
    _count = 1


class ConvLSTM2D(_ConvolutionLSTM):
    _count = 2


class ConvLSTM3D(_ConvolutionLSTM):
    _count = 3

# Cells of recurrent networks in version 1: one step from an input and a state to an output and a state.
from collections import namedtuple

from harp_library import is_known, judge, tensor, to_be_fed
from tensorflow._mode import judge_defined
from tensorflow._shared import surely

LSTMStateTuple = namedtuple("LSTMStateTuple", ("c", "h"))


def _zeros_of(size, batch_size, dtype):
    """A state of zeros, which a run may feed."""
    if surely(isinstance(size, LSTMStateTuple)):
        return LSTMStateTuple(_zeros_of(size.c, batch_size, dtype), _zeros_of(size.h, batch_size, dtype))
    if surely(isinstance(size, tuple)):
        return tuple([_zeros_of(item, batch_size, dtype) for item in size])
    if surely(isinstance(size, list)):
        return [_zeros_of(item, batch_size, dtype) for item in size]
    if is_known(isinstance(size, int)):
        return to_be_fed((batch_size, size), dtype, "tensorflow.Tensor")
    # Nothing is known of the size.
    return to_be_fed(None, dtype, "tensorflow.Tensor")


def _made(batch, size, like):
    return tensor((batch, size), like.dtype, "tensorflow.Tensor")


def _merged(one, other):
    return one if is_known(one) else other


def _is_batch(one, other):
    judge(one.shape[0] == other.shape[0], "the input and the state of the cell have different batches")


class RNNCell:
    def __init__(self, trainable=True, name=None, dtype=None, **kwargs):
        self.trainable, self.name = trainable, name
        self._depth = None

    @property
    def state_size(self):
        return None

    @property
    def output_size(self):
        return None

    @property
    def variables(self):
        return []

    trainable_variables = weights = trainable_weights = variables

    def build(self, inputs_shape):
        pass

    def __call__(self, inputs, state, scope=None, *arguments, **options):
        return self.call(inputs, state, *arguments, **options)

    def zero_state(self, batch_size, dtype):
        return _zeros_of(self.state_size, batch_size, dtype)

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        if inputs is not None:
            return _zeros_of(self.state_size, inputs.shape[0], inputs.dtype)
        return _zeros_of(self.state_size, batch_size, dtype)

    def _take(self, inputs):
        """Looks at an input: the weights are made for the first one."""
        judge(inputs.ndim == 2, "the input of a cell has an axis of batches and one of features")
        judge_defined(inputs.shape[-1], "the weights of a cell need a number of features that the graph knows; here it is `None`")
        if self._depth is None:
            self._depth = inputs.shape[-1]
        judge(inputs.shape[-1] == self._depth, "the cell was used with another number of features before; its weights are made once")


LayerRNNCell = RNNCell


class _VectorCell(RNNCell):
    """A cell whose state is its output."""

    def __init__(self, num_units, *arguments, **options):
        super().__init__()
        self._num_units = num_units

    @property
    def state_size(self):
        return self._num_units

    @property
    def output_size(self):
        return self._num_units

    def call(self, inputs, state):
        self._take(inputs)
        judge(state.ndim == 2, "the state of the cell has an axis of batches and one of units")
        judge(state.shape[-1] == self._num_units, "the state does not have the cell's number of units")
        _is_batch(inputs, state)
        made = _made(_merged(inputs.shape[0], state.shape[0]), self._num_units, inputs)
        return made, made


class BasicRNNCell(_VectorCell):
    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(num_units)

    def __call__(self, inputs, state, scope=None, *arguments, **options):
        return self.call(inputs, state)


class GRUCell(_VectorCell):
    def __init__(self, num_units, activation=None, reuse=None, kernel_initializer=None, bias_initializer=None, name=None, dtype=None, **kwargs):
        super().__init__(num_units)

    def __call__(self, inputs, state, scope=None, *arguments, **options):
        return self.call(inputs, state)


class LSTMCell(RNNCell):
    def __init__(self, num_units, use_peepholes=False, cell_clip=None, initializer=None, num_proj=None, proj_clip=None, num_unit_shards=None,
                 num_proj_shards=None, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__()
        self._make(num_units, num_proj, state_is_tuple, forget_bias, activation)

    def _make(self, num_units, num_proj, state_is_tuple, forget_bias=1.0, activation=None):
        import tensorflow as _tf
        self._num_units, self._state_is_tuple, self._forget_bias = num_units, state_is_tuple, forget_bias
        self._activation = _tf.tanh if activation is None else activation
        self._output = num_units if num_proj is None else num_proj

    @property
    def state_size(self):
        if self._state_is_tuple:
            return LSTMStateTuple(self._num_units, self._output)
        return self._num_units + self._output

    @property
    def output_size(self):
        return self._output

    def __call__(self, inputs, state, scope=None, *arguments, **options):
        return self.call(inputs, state)

    def call(self, inputs, state):
        self._take(inputs)
        if self._state_is_tuple:
            c, h = state
            judge(c.shape[-1] == self._num_units, "the state does not have the cell's number of units")
            judge(h.shape[-1] == self._output, "the state does not have the cell's number of units")
            _is_batch(inputs, h)
            batch = _merged(inputs.shape[0], h.shape[0])
            c, h = _made(batch, self._num_units, inputs), _made(batch, self._output, inputs)
            return h, LSTMStateTuple(c, h)
        judge(state.shape[-1] == self._num_units + self._output, "the state does not have the cell's number of units")
        _is_batch(inputs, state)
        batch = _merged(inputs.shape[0], state.shape[0])
        return _made(batch, self._output, inputs), _made(batch, self._num_units + self._output, inputs)


class BasicLSTMCell(LSTMCell):
    def __init__(self, num_units, forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        RNNCell.__init__(self)
        self._make(num_units, None, state_is_tuple, forget_bias, activation)


class LSTMBlockCell(LSTMCell):
    def __init__(self, num_units, forget_bias=1.0, cell_clip=None, use_peephole=False, dtype=None, reuse=None, name="lstm_cell"):
        RNNCell.__init__(self)
        self._make(num_units, None, True)


class LSTMBlockFusedCell(LSTMBlockCell):
    """All steps at once: the input has axes of steps, of batches, and of features."""

    def __call__(self, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
        judge(inputs.ndim == 3, "the input has axes of steps, of batches, and of features")
        state = _made(inputs.shape[1], self._num_units, inputs)
        return tensor(inputs.shape[:-1] + (self._num_units,), inputs.dtype, "tensorflow.Tensor"), LSTMStateTuple(state, state)


class LayerNormBasicLSTMCell(LSTMCell):
    def __init__(self, num_units, forget_bias=1.0, input_size=None, activation=None, layer_norm=True, norm_gain=1.0, norm_shift=0.0,
                 dropout_keep_prob=1.0, dropout_prob_seed=None, reuse=None):
        RNNCell.__init__(self)
        self._make(num_units, None, True)


class MultiRNNCell(RNNCell):
    def __init__(self, cells, state_is_tuple=True):
        super().__init__()
        self._cells, self._state_is_tuple = list(cells), state_is_tuple

    @property
    def state_size(self):
        if self._state_is_tuple:
            return tuple([cell.state_size for cell in self._cells])
        return sum([cell.state_size for cell in self._cells])

    @property
    def output_size(self):
        return self._cells[-1].output_size

    def zero_state(self, batch_size, dtype):
        if self._state_is_tuple:
            return tuple([cell.zero_state(batch_size, dtype) for cell in self._cells])
        return _zeros_of(self.state_size, batch_size, dtype)

    def __call__(self, inputs, state, scope=None):
        if not self._state_is_tuple:
            return self._joined(inputs, state)
        judge(len(state) == len(self._cells), "the state does not have a part for each of the cells")
        states = []
        for cell, own in zip(self._cells, state):
            inputs, new = cell(inputs, own)
            states.append(new)
        return inputs, tuple(states)

    def _joined(self, inputs, state):
        start = 0
        for cell in self._cells:
            size = cell.state_size
            inputs, new = cell(inputs, state[:, start:start + size])
            start = start + size
        judge(state.shape[-1] == start, "the state does not have the size of the cells' states")
        return inputs, state


class _Wrapper(RNNCell):
    """A cell around another one, with its sizes."""

    def __init__(self, cell, *arguments, **options):
        super().__init__()
        self._cell = cell

    @property
    def state_size(self):
        return self._cell.state_size

    @property
    def output_size(self):
        return self._cell.output_size

    def zero_state(self, batch_size, dtype):
        return self._cell.zero_state(batch_size, dtype)

    def __call__(self, inputs, state, scope=None):
        return self._cell(inputs, state)


class DropoutWrapper(_Wrapper):
    def __init__(self, cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0, variational_recurrent=False, input_size=None, dtype=None,
                 seed=None, dropout_state_filter_visitor=None, **kwargs):
        super().__init__(cell)
        self._input_keep_prob, self._output_keep_prob, self._state_keep_prob, self._seed = input_keep_prob, output_keep_prob, state_keep_prob, seed


class DeviceWrapper(_Wrapper):
    def __init__(self, cell, device, **kwargs):
        super().__init__(cell)


class ResidualWrapper(_Wrapper):
    def __init__(self, cell, residual_fn=None, **kwargs):
        super().__init__(cell)
        self._residual_fn = residual_fn

    def __call__(self, inputs, state, scope=None):
        outputs, new = self._cell(inputs, state)
        if self._residual_fn is None:
            judge(inputs.shape[-1] == outputs.shape[-1], "a residual cell gives as many features as it takes")
            return outputs, new
        return self._residual_fn(inputs, outputs), new


class InputProjectionWrapper(_Wrapper):
    def __init__(self, cell, num_proj, activation=None, input_size=None, reuse=None):
        super().__init__(cell)
        self._num_proj = num_proj

    def __call__(self, inputs, state, scope=None):
        self._take(inputs)
        return self._cell(_made(inputs.shape[0], self._num_proj, inputs), state)


class OutputProjectionWrapper(_Wrapper):
    def __init__(self, cell, output_size, activation=None, reuse=None):
        super().__init__(cell)
        self._size = output_size

    @property
    def output_size(self):
        return self._size

    def __call__(self, inputs, state, scope=None):
        outputs, new = self._cell(inputs, state)
        return _made(outputs.shape[0], self._size, outputs), new


class EmbeddingWrapper(_Wrapper):
    def __init__(self, cell, embedding_classes, embedding_size, initializer=None, reuse=None):
        super().__init__(cell)
        self._size = embedding_size

    def __call__(self, inputs, state, scope=None):
        import tensorflow as _tf
        made = tensor((inputs.shape[0], self._size), _tf.float32, "tensorflow.Tensor")
        return self._cell(made, state)


class AttentionCellWrapper(RNNCell):
    def __init__(self, cell, attn_length, attn_size=None, attn_vec_size=None, input_size=None, state_is_tuple=True, reuse=None):
        super().__init__()
        self._cell, self._length = cell, attn_length
        self._size = cell.output_size if attn_size is None else attn_size

    @property
    def state_size(self):
        return (self._cell.state_size, self._size, self._size * self._length)

    @property
    def output_size(self):
        return self._size

    def __call__(self, inputs, state, scope=None):
        return _made(inputs.shape[0], self._size, inputs), state

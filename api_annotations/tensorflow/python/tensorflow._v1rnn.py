# Recurrent networks of version 1: a cell that walks over a sequence.
from harp_library import free_size, is_known, judge, tensor
from tensorflow._v1cells import LSTMStateTuple, _merged


def _whole(step, lead):
    """The outputs of all steps, from that of one."""
    if isinstance(step, (list, tuple)):
        return tuple([_whole(item, lead) for item in step])
    return tensor(lead + step.shape[1:], step.dtype, "tensorflow.Tensor")


def _step(inputs, batch):
    if isinstance(inputs, (list, tuple)):
        return tuple([_step(item, batch) for item in inputs])
    return tensor((batch,) + inputs.shape[2:], inputs.dtype, "tensorflow.Tensor")


def _first(inputs):
    return _first(inputs[0]) if isinstance(inputs, (list, tuple)) else inputs


def _judge_lengths(sequence_length, batch):
    judge(not isinstance(sequence_length, int), "`sequence_length` has one number for each sequence of the batch, and is no number itself")
    if sequence_length is None or not hasattr(sequence_length, "shape"):
        return
    judge(len(sequence_length.shape) == 1, "`sequence_length` has one number for each sequence of the batch")
    judge(sequence_length.shape[0] == batch, "`sequence_length` has one number for each sequence of the batch")


def _batch_of(sequence_length, batch):
    if is_known(batch) or sequence_length is None or not hasattr(sequence_length, "shape"):
        return batch
    return batch


def dynamic_rnn(cell, inputs, sequence_length=None, initial_state=None, dtype=None, parallel_iterations=None, swap_memory=False, time_major=False,
                scope=None):
    first = _first(inputs)
    judge(first.ndim >= 3, "the input of `dynamic_rnn` has axes of batches, of steps, and of features")
    batch, steps = (first.shape[1], first.shape[0]) if time_major else (first.shape[0], first.shape[1])
    _judge_lengths(sequence_length, batch)
    state = cell.zero_state(batch, first.dtype) if initial_state is None else initial_state
    output, state = cell(_step(inputs, batch), state)
    lead = (steps, _merged(batch, _first(output).shape[0])) if time_major else (_merged(batch, _first(output).shape[0]), steps)
    return _whole(output, lead), state


def bidirectional_dynamic_rnn(cell_fw, cell_bw, inputs, sequence_length=None, initial_state_fw=None, initial_state_bw=None, dtype=None,
                              parallel_iterations=None, swap_memory=False, time_major=False, scope=None):
    output_fw, state_fw = dynamic_rnn(cell_fw, inputs, sequence_length, initial_state_fw, dtype, None, False, time_major)
    output_bw, state_bw = dynamic_rnn(cell_bw, inputs, sequence_length, initial_state_bw, dtype, None, False, time_major)
    return (output_fw, output_bw), (state_fw, state_bw)


def static_rnn(cell, inputs, initial_state=None, dtype=None, sequence_length=None, scope=None):
    judge(len(inputs) > 0, "`static_rnn` takes a list with an input for each step")
    first = _first(inputs)
    state = cell.zero_state(first.shape[0], first.dtype) if initial_state is None else initial_state
    outputs = []
    for step in inputs:
        output, state = cell(step, state)
        outputs.append(output)
    return outputs, state


def static_state_saving_rnn(cell, inputs, state_saver, state_name, sequence_length=None, scope=None):
    return static_rnn(cell, inputs, cell.zero_state(_first(inputs).shape[0], _first(inputs).dtype))


def static_bidirectional_rnn(cell_fw, cell_bw, inputs, initial_state_fw=None, initial_state_bw=None, dtype=None, sequence_length=None, scope=None):
    outputs_fw, state_fw = static_rnn(cell_fw, inputs, initial_state_fw, dtype)
    outputs_bw, state_bw = static_rnn(cell_bw, inputs, initial_state_bw, dtype)
    joined = [_joined(forward, backward) for forward, backward in zip(outputs_fw, outputs_bw)]
    return joined, state_fw, state_bw


def _joined(one, other):
    return tensor(one.shape[:-1] + (one.shape[-1] + other.shape[-1],), one.dtype, "tensorflow.Tensor")


def stack_bidirectional_dynamic_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None, initial_states_bw=None, dtype=None, sequence_length=None,
                                    parallel_iterations=None, time_major=False, scope=None, swap_memory=False):
    judge(len(cells_fw) == len(cells_bw), "there are as many cells backward as forward")
    states_fw, states_bw = [], []
    for place in range(len(cells_fw)):
        start_fw = None if initial_states_fw is None else initial_states_fw[place]
        start_bw = None if initial_states_bw is None else initial_states_bw[place]
        (one, other), (state_fw, state_bw) = bidirectional_dynamic_rnn(cells_fw[place], cells_bw[place], inputs, sequence_length, start_fw, start_bw,
                                                                       dtype, None, False, time_major)
        states_fw.append(state_fw)
        states_bw.append(state_bw)
        inputs = _joined(one, other)
    return inputs, tuple(states_fw), tuple(states_bw)


def stack_bidirectional_rnn(cells_fw, cells_bw, inputs, initial_states_fw=None, initial_states_bw=None, dtype=None, sequence_length=None, scope=None):
    judge(len(cells_fw) == len(cells_bw), "there are as many cells backward as forward")
    states_fw, states_bw = [], []
    for place in range(len(cells_fw)):
        start_fw = None if initial_states_fw is None else initial_states_fw[place]
        start_bw = None if initial_states_bw is None else initial_states_bw[place]
        inputs, state_fw, state_bw = static_bidirectional_rnn(cells_fw[place], cells_bw[place], inputs, start_fw, start_bw, dtype)
        states_fw.append(state_fw)
        states_bw.append(state_bw)
    return inputs, tuple(states_fw), tuple(states_bw)


rnn = static_rnn
bidirectional_rnn = static_bidirectional_rnn


def raw_rnn(cell, loop_fn, parallel_iterations=None, swap_memory=False, scope=None):
    from harp_library import unknown
    return unknown("tensorflow.nn.raw_rnn")

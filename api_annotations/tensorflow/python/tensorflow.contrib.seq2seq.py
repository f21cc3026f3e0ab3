# Decoders with attention. What a dynamic decoder gives has as many steps as the data says.
from collections import namedtuple

from harp_library import free_size, judge, outside, tensor
from tensorflow._v1cells import RNNCell, _zeros_of

BasicDecoderOutput = namedtuple("BasicDecoderOutput", ("rnn_output", "sample_id"))
AttentionWrapperState = namedtuple("AttentionWrapperState", ("cell_state", "attention", "time", "alignments", "alignment_history", "attention_state"))
FinalBeamSearchDecoderOutput = namedtuple("FinalBeamSearchDecoderOutput", ("predicted_ids", "beam_search_decoder_output"))


def sequence_loss(logits, targets, weights, average_across_timesteps=True, average_across_batch=True, sum_over_timesteps=False, sum_over_batch=False,
                  softmax_loss_function=None, name=None):
    judge(logits.ndim == 3, "the logits have axes of batches, of steps, and of classes")
    judge(targets.ndim == 2, "the targets have axes of batches and of steps")
    judge(weights.ndim == 2, "the weights have axes of batches and of steps")
    judge(logits.shape[0] == targets.shape[0], "logits and targets have different batches")
    judge(logits.shape[1] == targets.shape[1], "logits and targets have different numbers of steps")
    if average_across_timesteps and average_across_batch:
        return tensor((), logits.dtype, "tensorflow.Tensor")
    return tensor(None, logits.dtype, "tensorflow.Tensor")


class _Attention:
    """A mechanism that compares the output of a cell with a memory of batches, of steps, and of features."""

    def __init__(self, num_units, memory=None, *arguments, **options):
        self._num_units, self._memory = num_units, memory
        if memory is not None:
            judge(memory.ndim >= 3, "the memory has axes of batches, of steps, and of features")

    def _depth(self):
        """The features of what the memory is summed up to."""
        return free_size("features") if self._memory is None else self._memory.shape[-1]

    def _compare(self, query):
        pass


class BahdanauAttention(_Attention):
    pass


class LuongAttention(_Attention):
    def _compare(self, query):
        judge(query.shape[-1] == self._num_units, "the attention does not have the number of units of the cell that asks it (`num_units`)")


class BahdanauMonotonicAttention(BahdanauAttention):
    pass


class LuongMonotonicAttention(LuongAttention):
    pass


class AttentionWrapper(RNNCell):
    def __init__(self, cell, attention_mechanism, attention_layer_size=None, alignment_history=False, cell_input_fn=None, output_attention=True,
                 initial_cell_state=None, name=None, attention_layer=None, **options):
        super().__init__()
        self._cell, self._cell_input_fn, self._gives_attention = cell, cell_input_fn, output_attention
        self._mechanisms = list(attention_mechanism) if isinstance(attention_mechanism, (list, tuple)) else [attention_mechanism]
        self._size = self._attention_size(attention_layer_size, attention_layer)

    def _attention_size(self, size, layer):
        if layer is not None:
            return free_size("features")
        if size is None:
            return sum([mechanism._depth() for mechanism in self._mechanisms])
        return sum(size) if isinstance(size, (list, tuple)) else size

    @property
    def output_size(self):
        return self._size if self._gives_attention else self._cell.output_size

    @property
    def state_size(self):
        return outside("size of a state")

    def zero_state(self, batch_size, dtype):
        return _State(self._cell.zero_state(batch_size, dtype))

    def __call__(self, inputs, state, scope=None):
        attention = tensor((inputs.shape[0], self._size), inputs.dtype, "tensorflow.Tensor")
        if self._cell_input_fn is None:
            features = inputs.shape[-1] + self._size
            given = tensor(inputs.shape[:-1] + (features,), inputs.dtype, "tensorflow.Tensor")
        else:
            given = self._cell_input_fn(inputs, attention)
        output, cell_state = self._cell(given, state.cell_state)
        for mechanism in self._mechanisms:
            mechanism._compare(output)
        return (attention if self._gives_attention else output), _State(cell_state)


class _State:
    def __init__(self, cell_state):
        self.cell_state = cell_state
        self.attention = self.alignments = self.time = outside("state of an attention")

    def clone(self, cell_state=None, **options):
        return _State(self.cell_state if cell_state is None else cell_state)


class _Helper:
    def __init__(self, inputs=None, sequence_length=None, time_major=False, *arguments, **options):
        self._inputs, self._time_major = inputs, time_major

    def _batch(self):
        return self._inputs.shape[1] if self._time_major else self._inputs.shape[0]

    def _step(self):
        """What the cell takes in one step."""
        return tensor((self._batch(),) + self._inputs.shape[2:], self._inputs.dtype, "tensorflow.Tensor")


class TrainingHelper(_Helper):
    pass


class ScheduledEmbeddingTrainingHelper(_Helper):
    def __init__(self, inputs, sequence_length, embedding, sampling_probability, time_major=False, seed=None, scheduling_seed=None, name=None):
        super().__init__(inputs, sequence_length, time_major)


class GreedyEmbeddingHelper(_Helper):
    def __init__(self, embedding, start_tokens, end_token, *arguments, **options):
        self._embedding, self._tokens = embedding, start_tokens

    def _batch(self):
        return self._tokens.shape[0]

    def _step(self):
        if not hasattr(self._embedding, "shape"):
            return self._embedding(self._tokens)
        return tensor((self._batch(),) + self._embedding.shape[1:], self._embedding.dtype, "tensorflow.Tensor")


class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    pass


class BasicDecoder:
    def __init__(self, cell, helper, initial_state, output_layer=None):
        self._cell, self._helper, self._layer, self._state = cell, helper, output_layer, initial_state


class BeamSearchDecoder:
    def __init__(self, cell, embedding, start_tokens, end_token, initial_state, beam_width, output_layer=None, length_penalty_weight=0.0, **options):
        self._cell, self._width = cell, beam_width
        self._helper = None


def tile_batch(t, multiplier, name=None):
    return outside("tiled batch")


def dynamic_decode(decoder, output_time_major=False, impute_finished=False, maximum_iterations=None, parallel_iterations=32, swap_memory=False, scope=None):
    import tensorflow as _tf
    if isinstance(decoder, BeamSearchDecoder):
        ids = tensor((free_size("batch"), free_size("steps"), decoder._width), _tf.int32, "tensorflow.Tensor")
        return FinalBeamSearchDecoderOutput(ids, None), outside("state of a decoder"), outside("lengths")
    if not isinstance(decoder, BasicDecoder):
        return outside("outputs of a decoder"), outside("state of a decoder"), outside("lengths")
    if not isinstance(decoder._helper, _Helper):
        return outside("outputs of a decoder"), outside("state of a decoder"), outside("lengths")
    batch = decoder._helper._batch()
    lead = (free_size("steps"), batch) if output_time_major else (batch, free_size("steps"))
    step, state = decoder._cell(decoder._helper._step(), decoder._state)
    if decoder._layer is not None:
        step = decoder._layer(step)
    made = BasicDecoderOutput(tensor(lead + (step.shape[-1],), step.dtype, "tensorflow.Tensor"), tensor(lead, _tf.int32, "tensorflow.Tensor"))
    return made, state, tensor((batch,), _tf.int32, "tensorflow.Tensor")

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
    def __init__(self, num_units, memory=None, *arguments, **options):
        self._memory = memory


class BahdanauAttention(_Attention):
    pass


class LuongAttention(_Attention):
    pass


class BahdanauMonotonicAttention(_Attention):
    pass


class LuongMonotonicAttention(_Attention):
    pass


class AttentionWrapper(RNNCell):
    def __init__(self, cell, attention_mechanism, attention_layer_size=None, alignment_history=False, cell_input_fn=None, output_attention=True,
                 initial_cell_state=None, name=None, attention_layer=None, **options):
        super().__init__()
        self._cell, self._size, self._gives_attention = cell, attention_layer_size, output_attention

    @property
    def output_size(self):
        return self._size if self._gives_attention and self._size is not None else self._cell.output_size

    @property
    def state_size(self):
        return outside("size of a state")

    def zero_state(self, batch_size, dtype):
        return _State(self._cell.zero_state(batch_size, dtype))

    def __call__(self, inputs, state, scope=None):
        if self._size is None:
            return tensor((inputs.shape[0], free_size("features")), inputs.dtype, "tensorflow.Tensor"), state
        return tensor((inputs.shape[0], self.output_size), inputs.dtype, "tensorflow.Tensor"), state


class _State:
    def __init__(self, cell_state):
        self.cell_state = cell_state
        self.attention = self.alignments = self.time = outside("state of an attention")

    def clone(self, cell_state=None, **options):
        return _State(self.cell_state if cell_state is None else cell_state)


class _Helper:
    def __init__(self, inputs=None, *arguments, **options):
        self._inputs = inputs


class TrainingHelper(_Helper):
    pass


class ScheduledEmbeddingTrainingHelper(_Helper):
    pass


class GreedyEmbeddingHelper(_Helper):
    def __init__(self, embedding, start_tokens, end_token):
        self._inputs = None


class SampleEmbeddingHelper(_Helper):
    def __init__(self, embedding, start_tokens, end_token, softmax_temperature=None, seed=None):
        self._inputs = None


class BasicDecoder:
    def __init__(self, cell, helper, initial_state, output_layer=None):
        self._cell, self._helper, self._layer = cell, helper, output_layer


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
    inputs = decoder._helper._inputs
    batch = free_size("batch") if inputs is None else inputs.shape[0]
    lead = (free_size("steps"), batch) if output_time_major else (batch, free_size("steps"))
    step = tensor((batch, decoder._cell.output_size), _tf.float32, "tensorflow.Tensor")
    if decoder._layer is not None:
        step = decoder._layer(step)
    made = BasicDecoderOutput(tensor(lead + (step.shape[-1],), step.dtype, "tensorflow.Tensor"), tensor(lead, _tf.int32, "tensorflow.Tensor"))
    return made, outside("state of a decoder"), tensor((batch,), _tf.int32, "tensorflow.Tensor")

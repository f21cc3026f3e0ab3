# Sequences to sequences, as lists with a tensor for each step.
from harp_library import judge, tensor, unknown
from tensorflow._v1rnn import static_rnn


def rnn_decoder(decoder_inputs, initial_state, cell, loop_function=None, scope=None):
    outputs, state = [], initial_state
    for step in decoder_inputs:
        if loop_function is not None and len(outputs) > 0:
            step = loop_function(outputs[-1], len(outputs))
        output, state = cell(step, state)
        outputs.append(output)
    return outputs, state


def basic_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, dtype=None, scope=None):
    state = static_rnn(cell, encoder_inputs)[1]
    return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, loop_function=None, dtype=None, scope=None):
    state = static_rnn(cell, encoder_inputs)[1]
    return rnn_decoder(decoder_inputs, state, cell, loop_function)


def sequence_loss_by_example(logits, targets, weights, average_across_timesteps=True, softmax_loss_function=None, name=None):
    judge(len(logits) == len(targets), "there are as many lists of targets as of logits")
    judge(len(logits) == len(weights), "there are as many lists of weights as of logits")
    first = logits[0]
    judge(len(first.shape) == 2, "the logits of a step have a row for each sequence")
    return tensor((first.shape[0],), first.dtype, "tensorflow.Tensor")


def sequence_loss(logits, targets, weights, average_across_timesteps=True, average_across_batch=True, softmax_loss_function=None, name=None):
    loss = sequence_loss_by_example(logits, targets, weights)
    return tensor((), loss.dtype, "tensorflow.Tensor")


def embedding_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, num_encoder_symbols, num_decoder_symbols, embedding_size, output_projection=None,
                          feed_previous=False, dtype=None, scope=None):
    return unknown("embedding_rnn_seq2seq")


def embedding_attention_seq2seq(encoder_inputs, decoder_inputs, cell, num_encoder_symbols, num_decoder_symbols, embedding_size, num_heads=1,
                                output_projection=None, feed_previous=False, dtype=None, scope=None, initial_state_attention=False):
    return unknown("embedding_attention_seq2seq")

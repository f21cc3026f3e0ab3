# The cells and networks of `tf.nn`, under the name that they had first.
from tensorflow._v1cells import (
    AttentionCellWrapper, BasicLSTMCell, BasicRNNCell, DeviceWrapper, DropoutWrapper, EmbeddingWrapper, GRUCell, InputProjectionWrapper,
    LayerNormBasicLSTMCell, LayerRNNCell, LSTMBlockCell, LSTMBlockFusedCell, LSTMCell, LSTMStateTuple, MultiRNNCell, OutputProjectionWrapper, ResidualWrapper,
    RNNCell)
from tensorflow._v1rnn import (
    dynamic_rnn, static_bidirectional_rnn, static_rnn, static_state_saving_rnn, stack_bidirectional_dynamic_rnn, stack_bidirectional_rnn)

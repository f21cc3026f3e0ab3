# Functions of networks by the names of version 1.
from tensorflow._losses import softmax_cross_entropy_with_logits

softmax_cross_entropy_with_logits_v2 = softmax_cross_entropy_with_logits

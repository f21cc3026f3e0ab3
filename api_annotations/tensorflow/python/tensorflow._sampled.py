# Losses that draw classes, and what belongs to them.
from harp_library import require
from tensorflow._core import as_tensor
from tensorflow._shared import made, surely


def nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None, remove_accidental_hits=False,
             name="nce_loss"):
    weights, biases = as_tensor(weights[0] if surely(isinstance(weights, (list, tuple))) else weights), as_tensor(biases)
    labels, inputs = as_tensor(labels), as_tensor(inputs)
    require(len(weights.shape) == 2, "the weights must be a matrix")
    require(len(inputs.shape) == 2, "the inputs must be a matrix")
    require(len(biases.shape) == 1, "the biases must be a vector")
    require(len(labels.shape) == 2, "the labels must be a matrix")
    require(weights.shape[1] == inputs.shape[1], "the weights do not fit the inputs")
    require(labels.shape[0] == inputs.shape[0], "there must be labels for each input")
    require(labels.shape[1] == num_true, "there must be `num_true` labels for each input")
    return made((inputs.shape[0],), inputs.dtype)


def sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None, remove_accidental_hits=True,
                         seed=None, name="sampled_softmax_loss"):
    return nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true)

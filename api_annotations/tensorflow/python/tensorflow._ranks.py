# Whether the right class is among those with the highest scores. The versions have the two tensors in opposite orders.
from harp_library import require
from tensorflow._core import as_tensor
from tensorflow._mode import is_version_1
from tensorflow._shared import made, surely


def in_top_k(targets, predictions, k, name=None):
    targets, predictions = as_tensor(targets), as_tensor(predictions)
    if is_version_1() and not surely(len(targets.shape) == 1) and not surely(len(predictions.shape) == 2):
        return among(predictions, targets)
    return among(targets, predictions)


def among(targets, predictions):
    require(len(targets.shape) == 1, "the targets are a vector with the number of a class for each row of the predictions")
    require(len(predictions.shape) == 2, "the predictions are a matrix with a score for each class")
    require(targets.shape[0] == predictions.shape[0], "there must be a target for each row of the predictions")
    return made((targets.shape[0],), "bool")

# Types of elements that several arguments share.
import numpy as np
from harp_library import require
from tensorflow import Tensor
from tensorflow._core import as_tensor
from tensorflow._shared import made, surely


# That of the first tensor, which arrays and numbers take; tensors must have the same.
def common_dtype(items):
    tensors = [item for item in items if surely(isinstance(item, Tensor))]
    if len(tensors) == 0:
        return as_tensor(items[0]).dtype
    first = tensors[0].dtype
    for item in tensors:
        if surely(item.dtype != first):
            require(False, "the tensors must have the same dtype")
    return first


# A list of integers becomes int32, whatever integers they are; of NumPy's floats it depends on whether a graph is built.
def listed(value, tensor, dtype):
    if dtype is None and surely(isinstance(value, (list, tuple))):
        if surely(tensor.dtype == np.int64):
            return made(tensor.shape, "int32")
        if surely(tensor.dtype == np.float64):
            return made(tensor.shape)
    return tensor

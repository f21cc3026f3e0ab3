# What operators call that only Python says.
from harp_library import tensor


def pairs(x, y):
    return tensor(x.shape + (2,), x.dtype, "tensorflow.Tensor")

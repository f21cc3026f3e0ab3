# Convolutions of one axis or more.
import numpy as np
from harp_library import require, tensor


def _convolved(one, other, mode):
    left, right = np.shape(one), np.shape(other)
    require(len(left) == len(right), "both sides of a convolution must have the same number of axes")
    if mode == "full":
        sizes = tuple([a + b - 1 for a, b in zip(left, right)])
    elif mode == "same":
        sizes = left
    else:
        sizes = tuple([max(a, b) - min(a, b) + 1 for a, b in zip(left, right)])
    return tensor(sizes, (one * 1.0).dtype, "jax.Array")


def convolve(in1, in2, mode="full", method="auto", precision=None):
    return _convolved(in1, in2, mode)


def correlate(in1, in2, mode="full", method="auto", precision=None):
    return _convolved(in1, in2, mode)


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0, precision=None):
    require(np.ndim(in1) == 2, "convolve2d takes matrices")
    return _convolved(in1, in2, mode)


def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0, precision=None):
    require(np.ndim(in1) == 2, "correlate2d takes matrices")
    return _convolved(in1, in2, mode)


def fftconvolve(in1, in2, mode="full", axes=None):
    if axes is not None:
        return tensor(None, None, "jax.Array")
    return _convolved(in1, in2, mode)

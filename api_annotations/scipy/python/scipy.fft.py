# `scipy.fft`: transforms to frequencies.
import numpy as np
import harp_library as _harp
from scipy._numbers import numbers as _numbers


def _complex(x):
    return np.complex64 if isinstance(x, np.ndarray) and x.dtype in (np.float32, np.complex64) else np.complex128


def _float(x):
    return np.float32 if isinstance(x, np.ndarray) and x.dtype in (np.float32, np.complex64) else np.float64


def _sized(x, n, axis):
    shape = list(np.shape(x))
    if n is not None:
        shape[axis] = n
    return shape


def fft(x, n=None, axis=-1, *arguments, **options):
    return _harp.array(_sized(x, n, axis), _complex(x))


ifft = fft


def rfft(x, n=None, axis=-1, *arguments, **options):
    shape = _sized(x, n, axis)
    shape[axis] = shape[axis] // 2 + 1
    return _harp.array(shape, _complex(x))


def irfft(x, n=None, axis=-1, *arguments, **options):
    shape = _sized(x, n, axis)
    if n is None:
        shape[axis] = 2 * (shape[axis] - 1)
    return _harp.array(shape, _float(x))


def fft2(x, s=None, *arguments, **options):
    return _harp.array(np.shape(x), _complex(x)) if s is None else _harp.array(None, _complex(x))


ifft2 = fftn = ifftn = fft2


def dct(x, type=2, n=None, axis=-1, *arguments, **options):
    return _harp.array(_sized(x, n, axis), _float(x))


idct = dst = idst = dct


def dctn(x, type=2, s=None, *arguments, **options):
    return _harp.array(np.shape(x), _float(x)) if s is None else _harp.array(None)


idctn = dstn = idstn = dctn


def fftshift(x, axes=None):
    return _harp.array(np.shape(x), x.dtype) if isinstance(x, np.ndarray) else _harp.array(np.shape(x))


ifftshift = fftshift


def fftfreq(n, d=1.0, **options):
    return np.zeros(n)


def rfftfreq(n, d=1.0, **options):
    return np.zeros(n // 2 + 1)


rfft2 = rfftn = irfft2 = irfftn = hfft = ihfft = next_fast_len = fht = _numbers

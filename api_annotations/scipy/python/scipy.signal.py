# `scipy.signal`: filters keep the shape of a signal, and convolutions change its length.
import numpy as np
import harp_library as _harp


def _as_first(x, *arguments, **options):
    return np.zeros(np.shape(x))


def _as_second(b, a, x, *arguments, **options):
    return np.zeros(np.shape(x))


def _as_sections(sos, x, *arguments, **options):
    return np.zeros(np.shape(x))


savgol_filter = medfilt = medfilt2d = wiener = detrend = _as_first
filtfilt = _as_second
sosfiltfilt = _as_sections


def lfilter(b, a, x, axis=-1, zi=None):
    y = np.zeros(np.shape(x))
    return y if zi is None else (y, zi)


def sosfilt(sos, x, axis=-1, zi=None):
    y = np.zeros(np.shape(x))
    return y if zi is None else (y, zi)


def hilbert(x, N=None, axis=-1):
    shape = list(np.shape(x))
    if N is not None:
        shape[axis] = N
    return np.zeros(shape, dtype=np.complex128)


def resample(x, num, t=None, axis=0, *arguments, **options):
    shape = list(np.shape(x))
    shape[axis] = num
    return np.zeros(shape)


def resample_poly(x, up, down, axis=0, *arguments, **options):
    shape = list(np.shape(x))
    shape[axis] = -(-shape[axis] * up // down)
    return np.zeros(shape)


def decimate(x, q, n=None, ftype="iir", axis=-1, zero_phase=True):
    shape = list(np.shape(x))
    shape[axis] = -(-shape[axis] // q)
    return np.zeros(shape)


def convolve(in1, in2, mode="full", method="auto"):
    one, two = np.shape(in1), np.shape(in2)
    if len(one) != len(two):
        raise ValueError("the arrays must have the same number of dimensions")
    if mode == "same":
        return np.zeros(one)
    if mode == "full":
        return np.zeros([a + b - 1 for a, b in zip(one, two)])
    return np.zeros([abs(a - b) + 1 for a, b in zip(one, two)])


def fftconvolve(in1, in2, mode="full", axes=None):
    return convolve(in1, in2, mode)


def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    return convolve(in1, in2, mode)


correlate = convolve
correlate2d = convolve2d


def butter(N, Wn, btype="low", analog=False, output="ba", fs=None):
    doubled = 2 if btype in ("band", "bandpass", "bandstop") else 1
    if output == "sos":
        return np.zeros((-(-N * doubled // 2), 6))
    return np.zeros(N * doubled + 1), np.zeros(N * doubled + 1)


def get_window(window, Nx, fftbins=True):
    return np.zeros(Nx)


def firwin(numtaps, *arguments, **options):
    return np.zeros(numtaps)


def find_peaks(x, *arguments, **options):
    return np.zeros(_harp.free_size("peaks", 0), dtype=np.int64), {}

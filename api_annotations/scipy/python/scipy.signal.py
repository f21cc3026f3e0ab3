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
from scipy._numbers import numbers as _numbers


def _segments(x, window, nperseg, nfft, axis, return_onesided=True):
    """How many frequencies a segment has."""
    if nfft is not None or nperseg is not None:
        size = nperseg if nfft is None else nfft
        return size // 2 + 1
    return _harp.free_size("frequencies", 1)


def spectrogram(x, fs=1.0, window=None, nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True, scaling="density",
                axis=-1, mode="psd"):
    frequencies, times = _segments(x, window, nperseg, nfft, axis), _harp.free_size("times", 1)
    values = _harp.array(tuple(np.shape(x)[:-1]) + (frequencies, times)) if axis == -1 and return_onesided else _harp.array(None)
    return _harp.array((frequencies,) if return_onesided else None), np.zeros(times), values


def stft(x, fs=1.0, window="hann", nperseg=256, noverlap=None, nfft=None, detrend=False, return_onesided=True, boundary="zeros", padded=True,
         axis=-1, scaling="spectrum"):
    return spectrogram(x, fs, window, nperseg, noverlap, nfft, axis=axis, return_onesided=return_onesided)


def istft(Zxx, *arguments, **options):
    return _harp.array((_harp.free_size("times", 1),)), _harp.array(None)


def welch(x, fs=1.0, window="hann", nperseg=None, noverlap=None, nfft=None, detrend="constant", return_onesided=True, scaling="density", axis=-1,
          average="mean"):
    frequencies = _segments(x, window, nperseg, nfft, axis)
    values = _harp.array(tuple(np.shape(x)[:-1]) + (frequencies,)) if axis == -1 and return_onesided else _harp.array(None)
    return _harp.array((frequencies,) if return_onesided else None), values


periodogram = csd = coherence = _numbers
iirnotch = iirpeak = iirfilter = cheby1 = cheby2 = ellip = bessel = buttord = firwin2 = remez = freqz = sosfreqz = freqs = lfilter_zi = _numbers
sosfilt_zi = tf2zpk = zpk2tf = tf2sos = zpk2sos = sos2tf = tf2ss = ss2tf = bilinear = peak_prominences = peak_widths = argrelextrema = _numbers
argrelmax = argrelmin = cwt = ricker = morlet = morlet2 = deconvolve = oaconvolve = correlation_lags = cont2discrete = _numbers
lti = dlti = TransferFunction = StateSpace = step = impulse = lsim = place_poles = gausspulse = unit_impulse = firls = kaiserord = _numbers
find_peaks_cwt = choose_conv_method = residue = vectorstrength = lombscargle = _numbers


def chirp(t, *arguments, **options):
    return np.zeros(np.shape(t))


square = sawtooth = chirp


class _Windows:
    def __getattr__(self, name):
        return _window


def _window(M, *arguments, **options):
    return np.zeros(M)


windows = _Windows()
hann = hamming = blackman = gaussian = kaiser = boxcar = triang = bartlett = tukey = nuttall = blackmanharris = cosine = _window

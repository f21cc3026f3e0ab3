# Frames, spectra and windows.
import numpy as np
from harp_library import free_size, require
from tensorflow._core import as_tensor
from tensorflow._shared import front_axis, made, surely


def _frames(samples, length, step, pad_end):
    if pad_end:
        return (samples + step - 1) // step
    return max(0, (samples - length) // step + 1)


def frame(signal, frame_length, frame_step, pad_end=False, pad_value=0, axis=-1, name=None):
    signal = as_tensor(signal)
    place = front_axis(axis, len(signal.shape))
    shape = signal.shape
    count = _frames(shape[place], frame_length, frame_step, pad_end)
    return made(shape[:place] + (count, frame_length) + shape[place + 1:], signal.dtype)


def _power_of_two(number):
    power = 1
    for step in (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16):
        power = power if power >= number else power * 2
    return power


def stft(signals, frame_length, frame_step, fft_length=None, window_fn=None, pad_end=False, name=None):
    signals = as_tensor(signals)
    require(len(signals.shape) >= 1, "a signal has an axis of samples")
    length = _power_of_two(frame_length) if fft_length is None else fft_length
    count = _frames(signals.shape[-1], frame_length, frame_step, pad_end)
    return made(signals.shape[:-1] + (count, length // 2 + 1), "complex128" if signals.dtype == np.float64 else "complex64")


def inverse_stft(stfts, frame_length, frame_step, fft_length=None, window_fn=None, name=None):
    stfts = as_tensor(stfts)
    require(len(stfts.shape) >= 2, "a spectrum has frames and frequencies")
    return made(stfts.shape[:-2] + ((stfts.shape[-2] - 1) * frame_step + frame_length,), "float32")


def overlap_and_add(signal, frame_step, name=None):
    signal = as_tensor(signal)
    require(len(signal.shape) >= 2, "the signal must have frames")
    return made(signal.shape[:-2] + ((signal.shape[-2] - 1) * frame_step + signal.shape[-1],), signal.dtype)


def _lengths(fft_length, shape, count):
    if fft_length is None:
        return shape[-count:]
    if surely(isinstance(fft_length, (list, tuple))):
        require(len(fft_length) == count, "there must be a length for each axis")
        return tuple(fft_length)
    return tuple(free_size("length", 1) for index in range(count))


def _real(input_tensor, fft_length, count):
    value = as_tensor(input_tensor)
    require(len(value.shape) >= count, "the tensor has too few axes")
    lengths = _lengths(fft_length, value.shape, count)
    return made(value.shape[:-count] + lengths[:-1] + (lengths[-1] // 2 + 1,), "complex128" if value.dtype == np.float64 else "complex64")


def rfft(input_tensor, fft_length=None, name=None):
    return _real(input_tensor, fft_length, 1)


def rfft2d(input_tensor, fft_length=None, name=None):
    return _real(input_tensor, fft_length, 2)


def rfft3d(input_tensor, fft_length=None, name=None):
    return _real(input_tensor, fft_length, 3)


def _inverse_real(input_tensor, fft_length, count):
    value = as_tensor(input_tensor)
    require(len(value.shape) >= count, "the tensor has too few axes")
    dtype = "float64" if value.dtype == np.complex128 else "float32"
    if fft_length is None:
        return made(value.shape[:-1] + (2 * (value.shape[-1] - 1),), dtype)
    return made(value.shape[:-count] + _lengths(fft_length, value.shape, count), dtype)


def irfft(input_tensor, fft_length=None, name=None):
    return _inverse_real(input_tensor, fft_length, 1)


def irfft2d(input_tensor, fft_length=None, name=None):
    return _inverse_real(input_tensor, fft_length, 2)


def irfft3d(input_tensor, fft_length=None, name=None):
    return _inverse_real(input_tensor, fft_length, 3)


def dct(input, type=2, n=None, axis=-1, norm=None, name=None):
    value = as_tensor(input)
    require(len(value.shape) >= 1, "the tensor must have an axis")
    return made(value.shape[:-1] + (value.shape[-1] if n is None else n,), value.dtype)


def idct(input, type=2, n=None, axis=-1, norm=None, name=None):
    return dct(input, type, n)


def hann_window(window_length, periodic=True, dtype="float32", name=None):
    return made((window_length,), dtype)


def hamming_window(window_length, periodic=True, dtype="float32", name=None):
    return made((window_length,), dtype)


def kaiser_window(window_length, beta=12.0, dtype="float32", name=None):
    return made((window_length,), dtype)


def kaiser_bessel_derived_window(window_length, beta=12.0, dtype="float32", name=None):
    return made((window_length,), dtype)


def vorbis_window(window_length, dtype="float32", name=None):
    return made((window_length,), dtype)


def inverse_stft_window_fn(frame_step, forward_window_fn=None, name=None):
    return lambda window_length, dtype="float32": made((window_length,), dtype)


def linear_to_mel_weight_matrix(num_mel_bins=20, num_spectrogram_bins=129, sample_rate=8000, lower_edge_hertz=125.0, upper_edge_hertz=3800.0,
                                dtype="float32", name=None):
    return made((num_spectrogram_bins, num_mel_bins), dtype)

# `librosa`: sounds, whose last axis is time, and their pictures, whose last axis counts hops.
import numpy as np
import harp_library as _harp


def hops(y, hop_length, n_fft=2048, center=True):
    """How many hops a sound has."""
    if not isinstance(y, np.ndarray):
        return _harp.free_size("hops", 1)
    samples = y.shape[-1]
    return 1 + samples // hop_length if center else 1 + (samples - n_fft) // hop_length


def framed(y, rows, hop_length=512, S=None, dtype=None, center=True, n_fft=2048):
    """A picture with so many rows, of a sound or of a picture that is there."""
    if S is not None:
        return _harp.array(tuple(S.shape[:-2]) + (rows, S.shape[-1]), dtype) if isinstance(S, np.ndarray) else _harp.array(None)
    if not isinstance(y, np.ndarray):
        return _harp.array((rows, _harp.free_size("hops", 1)), dtype)
    return _harp.array(tuple(y.shape[:-1]) + (rows, hops(y, hop_length, n_fft, center)), dtype)


def stft(y, n_fft=2048, hop_length=None, win_length=None, window="hann", center=True, dtype=None, pad_mode="constant", out=None):
    if hop_length is None:
        hop_length = (n_fft if win_length is None else win_length) // 4
    kind = None if not isinstance(y, np.ndarray) else np.complex64 if y.dtype == np.float32 else np.complex128 if y.dtype == np.float64 else None
    return framed(y, 1 + n_fft // 2, hop_length, None, kind if dtype is None else dtype, center, n_fft)


def istft(stft_matrix, hop_length=None, win_length=None, n_fft=None, window="hann", center=True, dtype=None, length=None, out=None):
    if not isinstance(stft_matrix, np.ndarray):
        return _harp.array(None)
    samples = _harp.free_size("samples", 1) if length is None else length
    return _harp.array(tuple(stft_matrix.shape[:-2]) + (samples,))


def griffinlim(S, length=None, **options):
    if not isinstance(S, np.ndarray):
        return _harp.array(None)
    return _harp.array(tuple(S.shape[:-2]) + (_harp.free_size("samples", 1) if length is None else length,))


def _as_it_is(S, *arguments, **options):
    return _harp.array(S.shape if isinstance(S, np.ndarray) else None)


power_to_db = amplitude_to_db = db_to_power = db_to_amplitude = pcen = A_weighting = _as_it_is


def magphase(D, power=1):
    return _as_it_is(D), _as_it_is(D)


def resample(y, orig_sr, target_sr, res_type="soxr_hq", fix=True, scale=False, axis=-1, **options):
    if not isinstance(y, np.ndarray) or axis != -1:
        return _harp.array(None)
    if fix and isinstance(orig_sr, int) and isinstance(target_sr, int):
        return _harp.array(tuple(y.shape[:-1]) + (-(-y.shape[-1] * target_sr // orig_sr),), y.dtype)
    return _harp.array(tuple(y.shape[:-1]) + (_harp.free_size("samples", 1),), y.dtype)


def to_mono(y):
    return _harp.array(y.shape[-1:], y.dtype) if isinstance(y, np.ndarray) else _harp.array(None)


def get_duration(*arguments, **options):
    return float(_harp.outside("how long a sound is"))


get_samplerate = get_duration


def cqt(y, sr=22050, hop_length=512, fmin=None, n_bins=84, **options):
    return framed(y, n_bins, hop_length)


vqt = hybrid_cqt = pseudo_cqt = cqt


def zero_crossings(y, *arguments, **options):
    return _harp.array(y.shape if isinstance(y, np.ndarray) else None, bool)


def fft_frequencies(sr=22050, n_fft=2048):
    return np.zeros(1 + n_fft // 2)


def mel_frequencies(n_mels=128, **options):
    return np.zeros(n_mels)


def _numbers(*arguments, **options):
    return _harp.outside("numbers of a sound")


hz_to_mel = mel_to_hz = hz_to_midi = midi_to_hz = note_to_hz = hz_to_note = note_to_midi = midi_to_note = frames_to_time = time_to_frames = _numbers
frames_to_samples = samples_to_frames = samples_to_time = time_to_samples = times_like = samples_like = stream = example = ex = lpc = _numbers
pyin = yin = piptrack = estimate_tuning = autocorrelate = reassigned_spectrogram = iirt = cqt_frequencies = tone = chirp = clicks = _numbers
interp_harmonics = salience = phase_vocoder = fmt = perceptual_weighting = mu_compress = mu_expand = get_fftlib = cite = _numbers

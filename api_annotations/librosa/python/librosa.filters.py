# `librosa.filters`: banks of filters.
import numpy as np
import harp_library as _harp


def mel(sr, n_fft, n_mels=128, fmin=0.0, fmax=None, htk=False, norm="slaney", dtype=np.float32):
    return np.zeros((n_mels, 1 + n_fft // 2), dtype=dtype)


def chroma(sr, n_fft, n_chroma=12, **options):
    return _harp.array((n_chroma, 1 + n_fft // 2))


def get_window(window, Nx, *, fftbins=True):
    return _harp.array((Nx,))

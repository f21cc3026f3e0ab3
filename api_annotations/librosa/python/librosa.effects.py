# `librosa.effects`: other sounds of a sound.
import numpy as np
import harp_library as _harp


def trim(y, *arguments, **options):
    return _harp.array(tuple(y.shape[:-1]) + (_harp.free_size("samples", 0),), y.dtype) if isinstance(y, np.ndarray) else _harp.array(None), np.zeros(2, dtype=np.int64)


def split(y, *arguments, **options):
    return np.zeros((_harp.free_size("parts", 0), 2), dtype=np.int64)


def _same(y, *arguments, **options):
    return _harp.array(y.shape if isinstance(y, np.ndarray) else None)


harmonic = percussive = pitch_shift = preemphasis = _same


def hpss(y, **options):
    return _same(y), _same(y)


def time_stretch(y, rate, **options):
    return _harp.array(tuple(y.shape[:-1]) + (_harp.free_size("samples", 1),)) if isinstance(y, np.ndarray) else _harp.array(None)


def _numbers(*arguments, **options):
    return _harp.outside("numbers of a sound")


deemphasis = remix = _numbers

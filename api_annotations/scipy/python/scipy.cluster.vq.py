# `scipy.cluster.vq`: vectors by their nearest codes.
import numpy as np
import harp_library as _harp
from scipy._numbers import number as _number


def whiten(obs, check_finite=True):
    return np.zeros(np.shape(obs))


def vq(obs, code_book, check_finite=True):
    rows = np.shape(obs)[0]
    return np.zeros(rows, dtype=np.int32), np.zeros(rows)


def kmeans(obs, k_or_guess, *arguments, **options):
    return _harp.array((_harp.free_size("codes", 1), np.shape(obs)[1])) if np.ndim(obs) == 2 else _harp.array(None), _number()


def kmeans2(data, k, *arguments, **options):
    rows = np.shape(data)[0]
    centres = _harp.array((k, np.shape(data)[1])) if np.ndim(data) == 2 and isinstance(k, int) else _harp.array(None)
    return centres, np.zeros(rows, dtype=np.int32)

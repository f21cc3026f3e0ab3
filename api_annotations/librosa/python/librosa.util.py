# `librosa.util`: sounds of a length.
import numpy as np
import harp_library as _harp


def fix_length(data, size, axis=-1, **options):
    if not isinstance(data, np.ndarray) or axis != -1:
        return _harp.array(None)
    return _harp.array(tuple(data.shape[:-1]) + (size,), data.dtype)


def pad_center(data, size, axis=-1, **options):
    return fix_length(data, size=size, axis=axis)


def normalize(S, **options):
    return _harp.array(S.shape if isinstance(S, np.ndarray) else None)


def _numbers(*arguments, **options):
    return _harp.outside("numbers of a sound")


frame = buf_to_float = peak_pick = find_files = example = example_audio_file = sync = valid_audio = fix_frames = tiny = softmask = _numbers

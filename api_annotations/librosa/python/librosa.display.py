# `librosa.display`.
import harp_library as _harp


def _numbers(*arguments, **options):
    return _harp.outside("numbers of a sound")


waveshow = waveplot = cmap = TimeFormatter = _numbers


def specshow(data, *arguments, **options):
    return _harp.outside("a plot")

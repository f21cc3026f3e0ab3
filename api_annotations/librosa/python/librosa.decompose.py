# `librosa.decompose`.
import harp_library as _harp


def _numbers(*arguments, **options):
    return _harp.outside("numbers of a sound")


hpss = nn_filter = decompose = _numbers

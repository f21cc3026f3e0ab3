# `librosa.onset`.
import harp_library as _harp


def _numbers(*arguments, **options):
    return _harp.outside("numbers of a sound")


onset_detect = onset_strength = onset_backtrack = onset_strength_multi = _numbers

# `librosa.beat`.
import harp_library as _harp


def _numbers(*arguments, **options):
    return _harp.outside("numbers of a sound")


beat_track = plp = tempo = _numbers

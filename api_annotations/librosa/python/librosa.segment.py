# `librosa.segment`.
import harp_library as _harp


def _numbers(*arguments, **options):
    return _harp.outside("numbers of a sound")


agglomerative = recurrence_matrix = cross_similarity = _numbers

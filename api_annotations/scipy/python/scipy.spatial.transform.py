# `scipy.spatial.transform`: rotations, one or many.
import numpy as np
import harp_library as _harp
from scipy._numbers import numbers as _numbers


class Rotation:
    """How many there are, the array tells from which they are made."""

    def __init__(self, quat=None, *arguments, outer=None, **options):
        self._outer = () if outer is None else outer

    @classmethod
    def _of(cls, array, count):
        if isinstance(array, (np.ndarray, list, tuple)):
            return Rotation(outer=tuple(np.shape(array)[:-count]))
        return Rotation(outer=None) if isinstance(array, (int, float)) else _AnyRotation()

    @classmethod
    def from_quat(cls, quat, **options):
        return cls._of(quat, 1)

    from_rotvec = from_mrp = from_quat

    @classmethod
    def from_matrix(cls, matrix, **options):
        return cls._of(matrix, 2)

    from_dcm = from_matrix

    @classmethod
    def from_euler(cls, seq, angles, degrees=False):
        if not isinstance(seq, str) or not _harp.is_known(seq):
            return _AnyRotation()
        if len(seq) > 1:
            return cls._of(angles, 1)
        return Rotation() if isinstance(angles, (int, float)) else _AnyRotation()

    @classmethod
    def identity(cls, num=None):
        return Rotation(outer=() if num is None else (num,))

    @classmethod
    def random(cls, num=None, *arguments, **options):
        return Rotation(outer=() if num is None else (num,))

    def as_quat(self, *arguments, **options):
        return np.zeros(self._outer + (4,))

    def as_matrix(self):
        return np.zeros(self._outer + (3, 3))

    as_dcm = as_matrix

    def as_euler(self, seq, degrees=False, **options):
        return np.zeros(self._outer + (3,))

    def as_rotvec(self, degrees=False):
        return np.zeros(self._outer + (3,))

    as_mrp = as_rotvec

    def inv(self):
        return self

    def apply(self, vectors, inverse=False):
        return np.zeros(np.shape(vectors)) if self._outer == () else _harp.array(None)

    def __mul__(self, other):
        return self if self._outer == other._outer else _AnyRotation()

    def __getitem__(self, key):
        return _AnyRotation()

    def __len__(self):
        return self._outer[0]

    def __getattr__(self, name):
        return _numbers


class _AnyRotation(Rotation):
    def _any(self, *arguments, **options):
        return _harp.array(None, np.float64)

    as_quat = as_matrix = as_dcm = as_euler = as_rotvec = as_mrp = apply = _any

    def __mul__(self, other):
        return self

    def __len__(self):
        return _harp.free_size("rotations", 1)

    def inv(self):
        return self


class Slerp:
    def __init__(self, times, rotations):
        pass

    def __call__(self, times):
        return _AnyRotation()


RotationSpline = Slerp

# `skimage` itself: pictures in another type.
import numpy as np
import harp_library as _harp
from skimage._pictures import some as _some


def _in(image, dtype):
    return _harp.array(image.shape if isinstance(image, np.ndarray) else None, dtype)


def img_as_float(image, force_copy=False):
    if isinstance(image, np.ndarray) and image.dtype in (np.float32, np.float16):
        return _in(image, image.dtype)
    return _in(image, np.float64)


def img_as_float32(image, force_copy=False):
    return _in(image, np.float32)


def img_as_float64(image, force_copy=False):
    return _in(image, np.float64)


def img_as_ubyte(image, force_copy=False):
    return _in(image, np.uint8)


def img_as_uint(image, force_copy=False):
    return _in(image, np.uint16)


def img_as_int(image, force_copy=False):
    return _in(image, np.int16)


def img_as_bool(image, force_copy=False):
    return _in(image, bool)


__version__ = "0.25.0"

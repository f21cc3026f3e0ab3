# What the parts of scikit-image have in common: pictures as arrays.
import numpy as np
import harp_library as _harp


def same(image, *arguments, **options):
    return _harp.array(np.shape(image) if isinstance(image, np.ndarray) else None)


def same_type(image, *arguments, **options):
    return _harp.array(np.shape(image), image.dtype) if isinstance(image, np.ndarray) else _harp.array(None)


def of_bools(image, *arguments, **options):
    return _harp.array(np.shape(image) if isinstance(image, np.ndarray) else None, bool)


def of_labels(image, *arguments, **options):
    return _harp.array(np.shape(image) if isinstance(image, np.ndarray) else None)


def number(*arguments, **options):
    return float(_harp.outside("a number of a picture"))


def some(*arguments, **options):
    return _harp.outside("a part of a picture")

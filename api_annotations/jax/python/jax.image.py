# Pictures of another size.
import numpy as np
from harp_library import require, tensor


def resize(image, shape, method, antialias=True, precision=None):
    require(len(shape) == np.ndim(image), "`shape` must have a size for each axis of the image")
    return tensor(tuple(shape), _float(image), "jax.Array")


def scale_and_translate(image, shape, spatial_dims, scale, translation, method, antialias=True, precision=None):
    require(len(shape) == np.ndim(image), "`shape` must have a size for each axis of the image")
    return tensor(tuple(shape), _float(image), "jax.Array")


def _float(image):
    return (image * 1.0).dtype


class ResizeMethod:
    NEAREST = "nearest"
    LINEAR = "linear"
    LANCZOS3 = "lanczos3"
    LANCZOS5 = "lanczos5"
    CUBIC = "cubic"

# `skimage.color`: colours along the last axis.
import numpy as np
import harp_library as _harp
from skimage._pictures import same as _same


def _float_of(image):
    return np.float32 if isinstance(image, np.ndarray) and image.dtype == np.float32 else np.float64


def _judged(image):
    if isinstance(image, np.ndarray) and _harp.is_known(image.ndim) and image.ndim > 0 and _harp.is_known(image.shape[-1]):
        _harp.require(image.shape[-1] == 3, "the input array must have size 3 along `channel_axis`")


def rgb2gray(rgb, *, channel_axis=-1):
    if not isinstance(rgb, np.ndarray) or channel_axis != -1:
        return _harp.array(None)
    _judged(rgb)
    return _harp.array(rgb.shape[:-1], _float_of(rgb))


def gray2rgb(image, *, channel_axis=-1):
    if not isinstance(image, np.ndarray) or channel_axis != -1:
        return _harp.array(None)
    return _harp.array(image.shape + (3,), image.dtype)


def rgb2lab(rgb, illuminant="D65", observer="2", *, channel_axis=-1):
    if isinstance(rgb, np.ndarray) and channel_axis == -1:
        _judged(rgb)
    return _same(rgb)


def rgb2hsv(rgb, *, channel_axis=-1):
    if isinstance(rgb, np.ndarray) and channel_axis == -1:
        _judged(rgb)
    return _same(rgb)


hsv2rgb = rgb2ycbcr = ycbcr2rgb = rgb2yuv = yuv2rgb = rgb2xyz = xyz2rgb = lab2rgb = lab2lch = rgb2yiq = yiq2rgb = rgb2hed = hed2rgb = rgb2hsv
lab2xyz = xyz2lab = rgb2hsv


def rgba2rgb(rgba, background=(1, 1, 1), *, channel_axis=-1):
    return _harp.array(rgba.shape[:-1] + (3,)) if isinstance(rgba, np.ndarray) and channel_axis == -1 else _harp.array(None)


def label2rgb(label, image=None, **options):
    return _harp.array(label.shape + (3,)) if isinstance(label, np.ndarray) else _harp.array(None)

# `skimage.transform`: pictures of other sizes.
import numpy as np
import harp_library as _harp
from skimage._pictures import same as _same, some as _some


def resize(image, output_shape, order=None, mode="reflect", cval=0, clip=True, preserve_range=False, anti_aliasing=None,
           anti_aliasing_sigma=None, **options):
    if not isinstance(output_shape, (list, tuple)):
        return _harp.array(None)
    # Further axes of the picture stay as they are.
    if isinstance(image, np.ndarray) and _harp.is_known(image.ndim):
        return _harp.array(tuple(output_shape) + tuple(image.shape[len(output_shape):]))
    return _harp.array(None)


def rescale(image, scale, order=None, mode="reflect", cval=0, clip=True, preserve_range=False, anti_aliasing=None, anti_aliasing_sigma=None,
            *, channel_axis=None, **options):
    return _harp.array(None)


pyramid_reduce = pyramid_expand = rescale


def rotate(image, angle, resize=False, center=None, order=None, mode="constant", cval=0, clip=True, preserve_range=False):
    return _harp.array(None) if resize else _same(image)


def warp(image, inverse_map, map_args=None, output_shape=None, **options):
    return _same(image) if output_shape is None else _harp.array(None)


swirl = _same


class _Transform:
    def __init__(self, *arguments, **options):
        self.params = np.zeros((3, 3))

    def estimate(self, *arguments, **options):
        return bool(_harp.outside("whether it was found"))

    def __call__(self, coords):
        return _harp.array(np.shape(coords))

    inverse = __call__

    def __add__(self, other):
        return self

    def __getattr__(self, name):
        return _harp.outside("a number of a transformation")


AffineTransform = SimilarityTransform = EuclideanTransform = ProjectiveTransform = _Transform


def downscale_local_mean(image, factors, cval=0, clip=True):
    return _harp.array(None)


warp_polar = downscale_local_mean
hough_line = hough_line_peaks = probabilistic_hough_line = hough_circle = hough_circle_peaks = pyramid_gaussian = pyramid_laplacian = _some
radon = iradon = estimate_transform = matrix_transform = integral_image = resize_local_mean = _some

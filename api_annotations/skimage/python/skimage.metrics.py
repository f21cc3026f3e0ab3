# `skimage.metrics`: how alike pictures are.
import numpy as np
import harp_library as _harp
from skimage._pictures import number as _number


def _fit(image_true, image_test):
    if isinstance(image_true, np.ndarray) and isinstance(image_test, np.ndarray):
        _harp.judge(image_true.shape == image_test.shape, "Input images must have the same dimensions.")


def peak_signal_noise_ratio(image_true, image_test, *, data_range=None, **options):
    _fit(image_true, image_test)
    return _number()


def mean_squared_error(image0, image1):
    _fit(image0, image1)
    return _number()


normalized_root_mse = normalized_mutual_information = hausdorff_distance = _number


def structural_similarity(im1, im2, *, win_size=None, gradient=False, data_range=None, channel_axis=None, gaussian_weights=False, full=False,
                          **options):
    _fit(im1, im2)
    picture = _harp.array(im1.shape if isinstance(im1, np.ndarray) else None)
    if gradient:
        return (_number(), picture, picture) if full else (_number(), picture)
    return (_number(), picture) if full else _number()


def adapted_rand_error(*arguments, **options):
    return _number(), _number(), _number()


def variation_of_information(*arguments, **options):
    return np.zeros(2)


def contingency_table(*arguments, **options):
    return _harp.outside("a table of labels")

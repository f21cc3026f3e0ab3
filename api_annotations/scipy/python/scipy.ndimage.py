# `scipy.ndimage`: filters keep the shape of what they filter.
import numpy as np
import harp_library as _harp


def _of_type(shape, input, output):
    """An array for what is computed of `input`: of its type, unless `output` is another, or an array for the result."""
    if output is None:
        return np.zeros(shape, dtype=np.asarray(input).dtype)
    if isinstance(output, np.ndarray):
        return output
    return np.zeros(shape, dtype=output)


def _filtered(input, *arguments, output=None, **options):
    return _of_type(np.shape(input), input, output)


def _of_splines(input, *arguments, output=np.float64, **options):
    return _of_type(np.shape(input), input, output)


def _of_bools(input, *arguments, **options):
    return np.zeros(np.shape(input), dtype=bool)


def _of_floats(input, *arguments, **options):
    return np.zeros(np.shape(input))


gaussian_filter = gaussian_filter1d = uniform_filter = uniform_filter1d = median_filter = maximum_filter = minimum_filter = _filtered
rank_filter = percentile_filter = maximum_filter1d = minimum_filter1d = sobel = prewitt = laplace = gaussian_laplace = _filtered
gaussian_gradient_magnitude = generic_filter = generic_filter1d = convolve = convolve1d = correlate = correlate1d = _filtered
grey_dilation = grey_erosion = grey_opening = grey_closing = morphological_gradient = white_tophat = black_tophat = _filtered
spline_filter = spline_filter1d = _of_splines
binary_dilation = binary_erosion = binary_opening = binary_closing = binary_fill_holes = binary_propagation = _of_bools
binary_hit_or_miss = _of_bools


def distance_transform_edt(input, sampling=None, return_distances=True, return_indices=False, **options):
    distances = np.zeros(np.shape(input))
    if not return_indices:
        return distances
    indices = np.zeros((np.ndim(input),) + tuple(np.shape(input)), dtype=np.int32)
    return (distances, indices) if return_distances else indices


def label(input, structure=None, output=None):
    return np.zeros(np.shape(input), dtype=np.int32), _harp.free_size("labels", 0)


def shift(input, shift, output=None, *arguments, **options):
    return _of_type(np.shape(input), input, output)


def fourier_shift(input, *arguments, **options):
    return _harp.array(np.shape(input))


fourier_gaussian = fourier_uniform = fourier_ellipsoid = fourier_shift


def zoom(input, zoom, output=None, *arguments, **options):
    shape = np.shape(input)
    factors = zoom if isinstance(zoom, (list, tuple)) else [zoom] * len(shape)
    if len(factors) != len(shape):
        raise ValueError("`zoom` has another length than the array has dimensions")
    return _of_type([int(round(size * factor)) for size, factor in zip(shape, factors)], input, output)


def rotate(input, angle, axes=(1, 0), reshape=True, output=None, *arguments, **options):
    if reshape:
        shape = list(np.shape(input))
        for axis in axes:
            shape[axis] = _harp.free_size("rotated", 1)
        return _of_type(shape, input, output)
    return _of_type(np.shape(input), input, output)


def map_coordinates(input, coordinates, output=None, *arguments, **options):
    coordinates = np.asarray(coordinates)
    if coordinates.shape[0] != np.ndim(input):
        raise ValueError("there must be as many rows of coordinates as the array has dimensions")
    return _of_type(coordinates.shape[1:], input, output)


def affine_transform(input, matrix, offset=0.0, output_shape=None, output=None, *arguments, **options):
    if output_shape is None and isinstance(output, np.ndarray):
        return output
    return _of_type(np.shape(input) if output_shape is None else output_shape, input, output)


def center_of_mass(input, labels=None, index=None):
    if index is None:
        return tuple(_harp.outside("cell of a table") for axis in range(np.ndim(input)))
    return [tuple(_harp.outside("cell of a table") for axis in range(np.ndim(input))) for one in index]

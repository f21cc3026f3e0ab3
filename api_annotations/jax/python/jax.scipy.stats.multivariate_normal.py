# Densities of the normal distribution of vectors.
import numpy as np
from harp_library import require, tensor


def logpdf(x, mean, cov, allow_singular=None):
    point, center, spread = np.shape(x), np.shape(mean), np.shape(cov)
    if len(center) == 0:
        return tensor(np.broadcast_shapes(point, spread), x.dtype, "jax.Array")
    require(len(spread) >= 2, "the covariance needs two axes")
    require(spread[-1] == spread[-2], "the covariance is not square")
    require(spread[-1] == center[-1], "the covariance does not fit the mean")
    require(point[-1] == center[-1] or len(point) == 0, "the points do not fit the mean")
    return tensor(np.broadcast_shapes(point[:-1], center[:-1], spread[:-2]), x.dtype, "jax.Array")


def pdf(x, mean, cov):
    return logpdf(x, mean, cov)

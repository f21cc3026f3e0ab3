# Random numbers. A new-style key is an array without axes, one of `PRNGKey` has two numbers; `split` puts its axes before those.
import numpy as np
from harp_library import is_known, judge, require, tensor

_CLASS = "jax.Array"


def _drawn(shape, dtype, default=np.float32):
    if dtype is None or dtype is float or dtype is int:
        dtype = default
    return tensor(shape, dtype, _CLASS)


def _single(key):
    shape = np.shape(key)
    judge(len(shape) <= 1, "one key is wanted, got an array of keys: index it, or map over it with vmap")
    judge(len(shape) == 0 or shape[0] == 2 or shape[0] == 4, "one key is wanted, got an array of keys: index it, or map over it with vmap")


def _as_shape(shape):
    return tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)


def _with(shape, *values):
    # What parameters of a distribution broadcast to; where a shape is told, they must fit it.
    common = np.broadcast_shapes(*[np.shape(value) for value in values])
    if shape is None:
        return common
    shape = _as_shape(shape)
    # Numbers fit any shape, also one of which nothing is known.
    if is_known(len(common)) and len(common) == 0:
        return shape
    require(np.broadcast_shapes(shape, common) == shape, "the parameters of the distribution do not broadcast to `shape`")
    return shape


def key(seed, *, impl=None, dtype=None):
    return tensor((), None, _CLASS)


def PRNGKey(seed, *, impl=None):
    return tensor((2,), np.uint32, _CLASS) if impl is None else tensor(None, np.uint32, _CLASS)


def split(key, num=2):
    _single(key)
    return tensor(_as_shape(num) + np.shape(key), key.dtype, _CLASS)


def fold_in(key, data):
    _single(key)
    return tensor(np.shape(key), key.dtype, _CLASS)


def clone(key):
    return tensor(np.shape(key), key.dtype, _CLASS)


def key_data(keys):
    return tensor(np.shape(keys) + (2,), np.uint32, _CLASS)


def wrap_key_data(key_bits_array, *, impl=None, dtype=None):
    return tensor(key_bits_array.shape[:-1], None, _CLASS)


def normal(key, shape=(), dtype=None, *, out_sharding=None):
    _single(key)
    return _drawn(shape, dtype)


cauchy = exponential = laplace = logistic = maxwell = normal


def gumbel(key, shape=(), dtype=None, mode=None, *, out_sharding=None):
    _single(key)
    return _drawn(shape, dtype)


def rademacher(key, shape=(), dtype=None, *, out_sharding=None):
    _single(key)
    return _drawn(shape, dtype, np.int32)


def bits(key, shape=(), dtype=None, *, out_sharding=None):
    _single(key)
    return _drawn(shape, dtype, np.uint32)


def uniform(key, shape=(), dtype=None, minval=0.0, maxval=1.0, *, out_sharding=None):
    _single(key)
    _with(shape, minval, maxval)
    return _drawn(shape, dtype)


def randint(key, shape, minval, maxval, dtype=None, *, out_sharding=None):
    _single(key)
    _with(shape, minval, maxval)
    return _drawn(shape, dtype, np.int32)


def truncated_normal(key, lower, upper, shape=None, dtype=None, *, out_sharding=None):
    _single(key)
    return _drawn(_with(shape, lower, upper), dtype)


def bernoulli(key, p=0.5, shape=None, mode='low', *, out_sharding=None):
    _single(key)
    return tensor(_with(shape, p), np.bool_, _CLASS)


def gamma(key, a, shape=None, dtype=None, *, out_sharding=None):
    _single(key)
    return _drawn(_with(shape, a), dtype)


loggamma = gamma


def beta(key, a, b, shape=None, dtype=None, *, out_sharding=None):
    _single(key)
    return _drawn(_with(shape, a, b), dtype)


def chisquare(key, df, shape=None, dtype=None, *, out_sharding=None):
    _single(key)
    return _drawn(_with(shape, df), dtype)


t = chisquare


def f(key, dfnum, dfden, shape=None, dtype=None, *, out_sharding=None):
    _single(key)
    return _drawn(_with(shape, dfnum, dfden), dtype)


def pareto(key, b, shape=None, dtype=None, *, out_sharding=None):
    _single(key)
    return _drawn(_with(shape, b), dtype)


def rayleigh(key, scale, shape=None, dtype=None, *, out_sharding=None):
    _single(key)
    return _drawn(_with(shape, scale), dtype)


def wald(key, mean, shape=None, dtype=None, *, out_sharding=None):
    _single(key)
    return _drawn(_with(shape, mean), dtype)


def lognormal(key, sigma=1.0, shape=None, dtype=None, *, out_sharding=None):
    _single(key)
    return _drawn(_with(shape, sigma), dtype)


def triangular(key, left, mode, right, shape=None, dtype=None, *, out_sharding=None):
    _single(key)
    return _drawn(_with(shape, left, mode, right), dtype)


def poisson(key, lam, shape=None, dtype=None, *, out_sharding=None):
    _single(key)
    return _drawn(_with(shape, lam), dtype, np.int32)


def geometric(key, p, shape=None, dtype=None, *, out_sharding=None):
    _single(key)
    return _drawn(_with(shape, p), dtype, np.int32)


def binomial(key, n, p, shape=None, dtype=None):
    _single(key)
    return _drawn(_with(shape, n, p), dtype)


def double_sided_maxwell(key, loc, scale, shape=(), dtype=None):
    _single(key)
    return _drawn(_as_shape(shape) + np.broadcast_shapes(np.shape(loc), np.shape(scale)), dtype)


def weibull_min(key, scale, concentration, shape=(), dtype=None):
    _single(key)
    return _drawn(_as_shape(shape) + np.broadcast_shapes(np.shape(scale), np.shape(concentration)), dtype)


def generalized_normal(key, p, shape=(), dtype=None, *, out_sharding=None):
    _single(key)
    return _drawn(shape, dtype)


def ball(key, d, p=2, shape=(), dtype=None, *, out_sharding=None):
    _single(key)
    return _drawn(_as_shape(shape) + (d,), dtype)


def orthogonal(key, n, shape=(), dtype=None, m=None, *, out_sharding=None):
    _single(key)
    return _drawn(_as_shape(shape) + (n, n if m is None else m), dtype)


def categorical(key, logits, axis=-1, shape=None, replace=True, mode=None, *, out_sharding=None):
    _single(key)
    sizes = np.shape(logits)
    require(-len(sizes) <= axis, "the logits have no such axis")
    require(axis < len(sizes), "the logits have no such axis")
    place = axis + len(sizes) if axis < 0 else axis
    batch = sizes[:place] + sizes[place + 1:]
    if shape is None:
        return tensor(batch, np.int32, _CLASS)
    shape = _as_shape(shape)
    # Numbers fit any shape, also one of which nothing is known.
    if is_known(len(common)) and len(common) == 0:
        return shape
    require(np.broadcast_shapes(shape, batch) == shape, "the batches of the logits do not broadcast to `shape`")
    return tensor(shape, np.int32, _CLASS)


def dirichlet(key, alpha, shape=None, dtype=None, *, out_sharding=None):
    _single(key)
    sizes = np.shape(alpha)
    require(len(sizes) >= 1, "alpha needs an axis")
    return _drawn(_batch(shape, sizes[:-1]) + sizes[-1:], dtype)


def _batch(shape, batch):
    if shape is None:
        return batch
    shape = _as_shape(shape)
    # Numbers fit any shape, also one of which nothing is known.
    if is_known(len(common)) and len(common) == 0:
        return shape
    require(np.broadcast_shapes(shape, batch) == shape, "the batch of the parameters does not broadcast to `shape`")
    return shape


def multivariate_normal(key, mean, cov, shape=None, dtype=None, method='cholesky', *, out_sharding=None):
    _single(key)
    center, spread = np.shape(mean), np.shape(cov)
    require(len(center) >= 1, "the mean needs an axis")
    require(len(spread) >= 2, "the covariance needs two axes")
    require(spread[-1] == spread[-2], "the covariance is not square")
    require(spread[-1] == center[-1], "the covariance does not fit the mean")
    batch = np.broadcast_shapes(center[:-1], spread[:-2])
    return _drawn(_batch(shape, batch) + center[-1:], dtype)


def multinomial(key, n, p, *, shape=None, dtype=None, unroll=1):
    _single(key)
    if shape is None:
        sizes = np.shape(p)
        return _drawn(np.broadcast_shapes(np.shape(n), sizes[:-1]) + sizes[-1:], dtype)
    return _drawn(shape, dtype)


def choice(key, a, shape=(), replace=True, p=None, axis=0, mode=None):
    _single(key)
    shape, sizes = _as_shape(shape), np.shape(a)
    if len(sizes) == 0:
        return tensor(shape, np.int32, _CLASS)
    place = axis + len(sizes) if axis < 0 else axis
    if p is not None:
        require(np.shape(p) == (sizes[place],), "`p` must be a vector with a probability for each choice")
    return tensor(sizes[:place] + shape + sizes[place + 1:], a.dtype, _CLASS)


def permutation(key, x, axis=0, independent=False, *, out_sharding=None):
    _single(key)
    sizes = np.shape(x)
    if len(sizes) == 0:
        return tensor((x,), np.int32, _CLASS)
    require(-len(sizes) <= axis, "the array has no such axis")
    require(axis < len(sizes), "the array has no such axis")
    return tensor(sizes, x.dtype, _CLASS)

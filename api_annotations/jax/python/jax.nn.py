# What the shape notation cannot say of jax.nn.
import numpy as np
import jax.numpy as jnp
from harp_library import require, tensor

_CLASS = "jax.Array"


def one_hot(x, num_classes, *, dtype=None, axis=-1):
    require(not isinstance(x, (list, tuple)), "one_hot takes an array, not a list")
    shape = np.shape(x)
    if dtype is None or dtype is float:
        dtype = np.float32
    if axis == -1:
        return tensor(shape + (num_classes,), dtype, _CLASS)
    require(axis <= len(shape), "the result has no such axis")
    require(axis >= -len(shape) - 1, "the result has no such axis")
    place = axis + len(shape) + 1 if axis < 0 else axis
    return tensor(shape[:place] + (num_classes,) + shape[place:], dtype, _CLASS)


def logsumexp(a, axis=None, b=None, keepdims=False, return_sign=False, where=None):
    if b is None:
        values = a
    else:
        values = a * b
    total = jnp.sum(values * 1.0, axis=axis, keepdims=keepdims)
    return (total, total) if return_sign else total


def dot_product_attention(query, key, value, bias=None, mask=None, *, scale=None, is_causal=False, query_seq_lengths=None, key_value_seq_lengths=None,
                          local_window_size=None, implementation=None, return_residual=False):
    # [batch, times, heads, features], or without a batch; fewer heads of keys than of queries are shared among them.
    q, k, v = np.shape(query), np.shape(key), np.shape(value)
    require(len(q) == 3 or len(q) == 4, "the query needs axes for times, heads and features")
    require(len(k) == len(q), "the key has another number of axes than the query")
    require(k == v, "key and value have different shapes")
    require(q[-1] == k[-1], "query and key have different numbers of features")
    require(q[:-3] == k[:-3], "query and key have different batches")
    require(q[-2] % k[-2] == 0, "the heads of the query are no multiple of those of the key")
    batch = q[:-3] if len(q) == 4 else (1,)
    scores = batch + (q[-2], q[-3], k[-3])
    _fits(bias, scores, "the bias does not fit the scores [batch, heads, times of the query, times of the key]")
    _fits(mask, scores, "the mask does not fit the scores [batch, heads, times of the query, times of the key]")
    return tensor(q, query.dtype, _CLASS)


def _fits(part, scores, message):
    if part is not None:
        shape = np.shape(part) if np.ndim(part) == 4 else (1,) + np.shape(part)
        require(len(shape) == 4, message)
        for size, wanted in zip(shape, scores):
            require(size == 1 or size == wanted, message)

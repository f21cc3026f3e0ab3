# Attention with as many features as it was made for.
import numpy as np
from flax._shapes import with_last as _with_last
from flax.linen.attention import combine_masks as _combine_masks, dot_product_attention as _dot_product_attention
from flax.linen.linear import _computed
from flax.nnx._graph import Module
from flax.nnx._layers import LinearGeneral, _weight
from flax.nnx._norms import LayerNorm
from flax.nnx._variables import Cache
from harp_library import is_known, require, tensor


def dot_product_attention(
    query, key, value, bias=None, mask=None, broadcast_dropout=True, dropout_rng=None, dropout_rate=0.0, deterministic=False, dtype=None,
    precision=None, module=None, promote_dtype=None, is_causal=False
):
    return _dot_product_attention(query, key, value, bias, mask, dtype=dtype)


def combine_masks(*masks, dtype=np.float32):
    return _combine_masks(*masks, dtype=dtype)


class MultiHeadAttention(Module):
    _holds = ("query", "key", "value", "query_ln", "key_ln", "out", "cached_key", "cached_value", "cache_index")

    def __init__(
        self, num_heads, in_features, qkv_features=None, out_features=None, num_kv_heads=None, in_kv_features=None, *, dtype=None,
        param_dtype=np.float32, deterministic=None, use_bias=True, decode=None, normalize_qk=False, rngs=None, **options
    ):
        self.num_heads, self.in_features = num_heads, in_features
        self.qkv_features = in_features if qkv_features is None else qkv_features
        self.out_features = in_features if out_features is None else out_features
        self.in_kv_features = in_features if in_kv_features is None else in_kv_features
        self.num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        self.dtype, self.param_dtype, self.deterministic, self.decode = dtype, param_dtype, deterministic, decode
        require(self.qkv_features % num_heads == 0, f"the {self.qkv_features} features cannot be divided into {num_heads} heads")
        self.head_dim = self.qkv_features // num_heads
        self.query = LinearGeneral(in_features, (num_heads, self.head_dim), use_bias=use_bias, param_dtype=param_dtype)
        self.key = LinearGeneral(self.in_kv_features, (self.num_kv_heads, self.head_dim), use_bias=use_bias, param_dtype=param_dtype)
        self.value = LinearGeneral(self.in_kv_features, (self.num_kv_heads, self.head_dim), use_bias=use_bias, param_dtype=param_dtype)
        self.query_ln = LayerNorm(self.head_dim, use_bias=False, param_dtype=param_dtype) if normalize_qk else None
        self.key_ln = LayerNorm(self.head_dim, use_bias=False, param_dtype=param_dtype) if normalize_qk else None
        self.out = LinearGeneral((num_heads, self.head_dim), self.out_features, axis=(-2, -1), use_bias=use_bias, param_dtype=param_dtype)
        self.cached_key = self.cached_value = self.cache_index = None

    def init_cache(self, input_shape, dtype=np.float32):
        shape = tuple(input_shape[:-1]) + (self.num_kv_heads, self.head_dim)
        self.cached_key, self.cached_value = _weight(shape, dtype, Cache), _weight(shape, dtype, Cache)
        self.cache_index = _weight((), np.int32, Cache)

    def __call__(
        self, inputs_q, inputs_k=None, inputs_v=None, *, mask=None, deterministic=None, rngs=None, sow_weights=False, decode=None, is_causal=False,
        out_sharding=None, qkv_sharding=None
    ):
        keys = inputs_q if inputs_k is None else inputs_k
        values = keys if inputs_v is None else inputs_v
        require(inputs_q.shape[-1] == self.in_features, f"expected {self.in_features} features of queries (`in_features`), got {inputs_q.shape[-1]}")
        require(keys.shape[-1] == self.in_kv_features, f"expected {self.in_kv_features} features of keys, got {keys.shape[-1]}")
        require(values.shape[-1] == self.in_kv_features, f"expected {self.in_kv_features} features of values, got {values.shape[-1]}")
        if not (self.decode if decode is None else decode):
            self._check(inputs_q, keys, values, mask)
        return _with_last(inputs_q, self.out_features, _computed(self.dtype, self.param_dtype, inputs_q))

    def _check(self, query, key, value, mask):
        if not (is_known(query.ndim) and is_known(key.ndim) and is_known(value.ndim)):
            return
        require(query.ndim == key.ndim, f"queries {query.shape} and keys {key.shape} have different numbers of axes")
        require(value.ndim == key.ndim, f"values {value.shape} and keys {key.shape} have different numbers of axes")
        for axis in range(query.ndim - 2):
            require(query.shape[axis] == key.shape[axis], f"the batch axes of queries {query.shape} and keys {key.shape} differ")
            require(value.shape[axis] == key.shape[axis], f"the batch axes of values {value.shape} and keys {key.shape} differ")
        require(value.shape[-2] == key.shape[-2], f"there are {key.shape[-2]} keys and {value.shape[-2]} values")
        if mask is not None:
            weights = tensor(query.shape[:-2] + (self.num_heads, query.shape[-2], key.shape[-2]), np.float32, "jax.Array")
            weights * mask

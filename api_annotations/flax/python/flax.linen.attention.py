# Attention: queries [..., length, heads, depth], keys and values likewise.
import numpy as np
from flax._shapes import attended as _attended, attention_weights as _attention_weights, with_heads as _with_heads, with_last as _with_last
from flax.linen._scope import _find, _hold, _kept
from flax.linen.linear import _computed
from flax.linen.module import Module
from harp_library import is_known, require, tensor


def _checked(query, key, value):
    if is_known(query.ndim) and is_known(key.ndim):
        require(query.ndim == key.ndim, f"queries with {query.ndim} axes and keys with {key.ndim}")
        for axis in range(query.ndim - 3):
            require(query.shape[axis] == key.shape[axis], f"the batch axes of queries {query.shape} and keys {key.shape} differ")
    require(query.shape[-2] == key.shape[-2], f"queries have {query.shape[-2]} heads, and keys {key.shape[-2]}")
    if value is not None:
        if is_known(value.ndim) and is_known(key.ndim):
            require(value.ndim == key.ndim, f"values with {value.ndim} axes and keys with {key.ndim}")
            for axis in range(key.ndim - 3):
                require(value.shape[axis] == key.shape[axis], f"the batch axes of values {value.shape} and keys {key.shape} differ")
        require(value.shape[-2] == key.shape[-2], f"values have {value.shape[-2]} heads, and keys {key.shape[-2]}")
        require(value.shape[-3] == key.shape[-3], f"there are {key.shape[-3]} keys and {value.shape[-3]} values")
    require(query.shape[-1] == key.shape[-1], f"queries have {query.shape[-1]} features a head, and keys {key.shape[-1]}")


def _with_masks(weights, bias, mask):
    if bias is not None:
        weights = weights + bias
    if mask is not None:
        weights = weights * mask
    return weights


def dot_product_attention_weights(
    query, key, bias=None, mask=None, broadcast_dropout=True, dropout_rng=None, dropout_rate=0.0, deterministic=False, dtype=None, precision=None,
    module=None, force_fp32_for_softmax=False, einsum_dot_general=None, einsum=None
):
    _checked(query, key, None)
    weights = _attention_weights(query, key, query.dtype if dtype is None else dtype)
    return _with_masks(weights, bias, mask)


def dot_product_attention(
    query, key, value, bias=None, mask=None, broadcast_dropout=True, dropout_rng=None, dropout_rate=0.0, deterministic=False, dtype=None,
    precision=None, module=None, force_fp32_for_softmax=False, einsum_dot_general=None, qk_attn_weights_einsum=None, attn_weights_value_einsum=None
):
    _checked(query, key, value)
    _with_masks(_attention_weights(query, key, np.float32), bias, mask)
    return _attended(query, value, query.dtype if dtype is None else dtype)


def combine_masks(*masks, dtype=np.float32):
    given = [mask for mask in masks if mask is not None]
    if not given:
        return None
    mask = given[0]
    for other in given[1:]:
        if is_known(mask.ndim) and is_known(other.ndim):
            require(mask.ndim == other.ndim, f"masks with {mask.ndim} and {other.ndim} axes")
        mask = mask * other
    return tensor(mask.shape, dtype, "jax.Array")


class MultiHeadDotProductAttention(Module):
    _adopts = False
    num_heads: int
    dtype: object = None
    param_dtype: object = np.float32
    qkv_features: int = None
    out_features: int = None
    broadcast_dropout: bool = True
    dropout_rate: float = 0.0
    deterministic: bool = None
    precision: object = None
    kernel_init: object = None
    out_kernel_init: object = None
    bias_init: object = None
    out_bias_init: object = None
    use_bias: bool = True
    attention_fn: object = None
    decode: bool = False
    normalize_qk: bool = False
    force_fp32_for_softmax: bool = False
    qkv_dot_general: object = None
    out_dot_general: object = None
    qkv_dot_general_cls: object = None
    out_dot_general_cls: object = None
    qk_attn_weights_einsum_cls: object = None
    attn_weights_value_einsum_cls: object = None

    def __call__(
        self, inputs_q, inputs_k=None, inputs_v=None, *, inputs_kv=None, mask=None, deterministic=None, dropout_rng=None, sow_weights=False
    ):
        if inputs_kv is not None:
            inputs_k = inputs_v = inputs_kv
        if inputs_k is None:
            inputs_k = inputs_q
        if inputs_v is None:
            inputs_v = inputs_k
        features = inputs_q.shape[-1] if self.out_features is None else self.out_features
        inner = inputs_q.shape[-1] if self.qkv_features is None else self.qkv_features
        heads = self.num_heads
        require(inner % heads == 0, f"the {inner} features of queries, keys and values cannot be divided into {heads} heads")
        self._project("query", inputs_q, heads, inner // heads)
        self._project("key", inputs_k, heads, inner // heads)
        self._project("value", inputs_v, heads, inner // heads)
        if self.normalize_qk:
            for name in ("query_ln", "key_ln"):
                self._held(self._place(name), "scale", inner // heads)
        scope = self._place("out")
        self._held(scope, "kernel", heads, inner // heads, features)
        if self.use_bias:
            self._held(scope, "bias", features)
        decoding = self.decode and self._uses_cache(inputs_k, heads, inner // heads)
        if not decoding:
            self._check(inputs_q, inputs_k, inputs_v, heads, mask)
        return _with_last(inputs_q, features, _computed(self.dtype, self.param_dtype, inputs_q))

    def _place(self, name):
        return None if self.scope is None else self.scope.child(name)

    def _held(self, scope, name, *shape):
        kept = _kept(scope, name, shape)
        return kept if kept is not None else _hold(scope, "params", name, tensor(shape, self.param_dtype, "jax.Array"))

    def _project(self, name, inputs, heads, depth):
        scope = self._place(name)
        self._held(scope, "kernel", inputs.shape[-1], heads, depth)
        if self.use_bias:
            self._held(scope, "bias", heads, depth)

    def _check(self, query, key, value, heads, mask):
        if not (is_known(query.ndim) and is_known(key.ndim) and is_known(value.ndim)):
            return
        if key is not query or value is not query:
            self._check_shapes(query, key, value)
        if mask is not None:
            weights = tensor(query.shape[:-2] + (heads, query.shape[-2], key.shape[-2]), np.float32, "jax.Array")
            weights * mask

    def _check_shapes(self, query, key, value):
        require(query.ndim == key.ndim, f"queries {query.shape} and keys {key.shape} have different numbers of axes")
        require(value.ndim == key.ndim, f"values {value.shape} and keys {key.shape} have different numbers of axes")
        for axis in range(query.ndim - 2):
            require(query.shape[axis] == key.shape[axis], f"the batch axes of queries {query.shape} and keys {key.shape} differ")
            require(value.shape[axis] == key.shape[axis], f"the batch axes of values {value.shape} and keys {key.shape} differ")
        require(value.shape[-2] == key.shape[-2], f"there are {key.shape[-2]} keys and {value.shape[-2]} values")

    def _uses_cache(self, keys, heads, depth):
        # Without a cache the first call makes one for all keys; with it a call adds one key.
        if self.scope is None:
            return False
        status, _ = _find(self.scope, "cache", "cached_key")
        if status == "absent":
            _hold(self.scope, "cache", "cached_key", _with_heads(keys, heads, depth, np.float32))
            _hold(self.scope, "cache", "cached_value", _with_heads(keys, heads, depth, np.float32))
            _hold(self.scope, "cache", "cache_index", tensor((), np.int32, "jax.Array"))
        if status == "found" and is_known(keys.ndim):
            require(keys.shape[-2] == 1, f"decoding takes one query at a time, got {keys.shape[-2]}")
        return status != "absent"


class MultiHeadAttention(MultiHeadDotProductAttention):
    pass


class SelfAttention(MultiHeadDotProductAttention):
    def __call__(self, inputs_q, mask=None, deterministic=None, dropout_rng=None, sow_weights=False):
        return super().__call__(inputs_q, mask=mask)

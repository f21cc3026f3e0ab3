# Layers that normalize, and dropout.
import numpy as np
from flax._shapes import like as _like
from flax.linen.linear import _computed, _several
from flax.nnx._graph import Module
from flax.nnx._layers import _weight
from flax.nnx._variables import BatchStat
from harp_library import is_known, require, tensor


class _Norm(Module):
    def _set(self, num_features, dtype, param_dtype, use_bias, use_scale, feature_axes):
        self.num_features, self.dtype, self.param_dtype, self.feature_axes = num_features, dtype, param_dtype, feature_axes
        self.scale = _weight((num_features,), param_dtype) if use_scale else None
        self.bias = _weight((num_features,), param_dtype) if use_bias else None

    def _applied(self, x):
        axes = _several(self.feature_axes)
        if len(axes) == 1:
            size = x.shape[axes[0]]
            require(size == self.num_features, f"expected {self.num_features} features (`num_features`), got {size} in {x.shape}")
        return _like(x, _computed(self.dtype, self.param_dtype, x))


class LayerNorm(_Norm):
    _holds = ("scale", "bias")

    def __init__(
        self, num_features, *, epsilon=1e-6, dtype=None, param_dtype=np.float32, use_bias=True, use_scale=True, reduction_axes=-1, feature_axes=-1,
        rngs=None, **options
    ):
        self._set(num_features, dtype, param_dtype, use_bias, use_scale, feature_axes)

    def __call__(self, x, *, mask=None):
        return self._applied(x)


class RMSNorm(_Norm):
    _holds = ("scale", "bias")

    def __init__(
        self, num_features, *, epsilon=1e-6, dtype=None, param_dtype=np.float32, use_scale=True, reduction_axes=-1, feature_axes=-1, rngs=None,
        **options
    ):
        self._set(num_features, dtype, param_dtype, False, use_scale, feature_axes)

    def __call__(self, x, mask=None):
        return self._applied(x)


class InstanceNorm(_Norm):
    _holds = ("scale", "bias")

    def __init__(
        self, num_features, *, epsilon=1e-6, dtype=None, param_dtype=np.float32, use_bias=True, use_scale=True, feature_axes=-1, rngs=None, **options
    ):
        self._set(num_features, dtype, param_dtype, use_bias, use_scale, feature_axes)

    def __call__(self, x, *, mask=None):
        return self._applied(x)


class GroupNorm(_Norm):
    _holds = ("scale", "bias")

    def __init__(
        self, num_features, num_groups=32, group_size=None, *, epsilon=1e-6, dtype=None, param_dtype=np.float32, use_bias=True, use_scale=True,
        reduction_axes=None, rngs=None, **options
    ):
        if group_size is not None:
            require(num_features % group_size == 0, f"{num_features} channels cannot be divided into groups of {group_size}")
        else:
            require(num_features % num_groups == 0, f"{num_features} channels cannot be divided into {num_groups} groups")
        self._set(num_features, dtype, param_dtype, use_bias, use_scale, -1)

    def __call__(self, x, *, mask=None):
        return self._applied(x)


class BatchNorm(_Norm):
    _holds = ("mean", "var", "scale", "bias")

    def __init__(
        self, num_features, *, use_running_average=False, axis=-1, momentum=0.99, epsilon=1e-5, dtype=None, param_dtype=np.float32, use_bias=True,
        use_scale=True, rngs=None, **options
    ):
        self._set(num_features, dtype, param_dtype, use_bias, use_scale, axis)
        self.use_running_average, self.momentum = use_running_average, momentum
        self.mean = _weight((num_features,), np.float32, BatchStat)
        self.var = _weight((num_features,), np.float32, BatchStat)

    def __call__(self, x, use_running_average=None, *, mask=None):
        return self._applied(x)


class Dropout(Module):
    _holds = ()

    def __init__(self, rate, *, broadcast_dims=(), deterministic=False, rng_collection="dropout", rngs=None):
        self.rate, self.deterministic = rate, deterministic

    def __call__(self, inputs, *, deterministic=None, rngs=None):
        return _like(inputs, inputs.dtype)


class SpectralNorm(Module):
    def __init__(self, layer_instance, *, n_steps=1, update_stats=True, rngs=None, **options):
        self.layer_instance = layer_instance

    def __call__(self, x, update_stats=None):
        return self.layer_instance(x)


class WeightNorm(Module):
    def __init__(self, layer_instance, *, feature_axes=-1, use_scale=True, rngs=None, **options):
        self.layer_instance = layer_instance

    def __call__(self, x, *args, **kwargs):
        return self.layer_instance(x, *args, **kwargs)

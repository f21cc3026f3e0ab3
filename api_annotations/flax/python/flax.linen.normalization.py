# Layers that normalize: their parameters and statistics have the sizes of the feature axes.
import numpy as np
from flax._shapes import like as _like
from flax.linen._scope import _find, _hold, _is_in, _put
from flax.linen.linear import _computed
from flax.linen.module import Module, compact
from harp_library import is_known, require, tensor, tree_map


def _axes(axes, count):
    several = (axes,) if isinstance(axes, int) else tuple(axes)
    for axis in several:
        require(-count <= axis, f"the input has {count} axes, and no axis {axis}")
        require(axis < count, f"the input has {count} axes, and no axis {axis}")
    return [axis % count for axis in several]


def _feature_sizes(x, axes):
    # The sizes of the feature axes; with the last one alone the number of axes need not be known.
    if isinstance(axes, int) and axes == -1:
        return (x.shape[-1],)
    return tuple([x.shape[axis] for axis in _axes(axes, x.ndim)])


def _scaled(module, x, sizes):
    if module.use_scale:
        module._weight("scale", *sizes)
    if module.use_bias:
        module._weight("bias", *sizes)
    return _like(x, _computed(module.dtype, module.param_dtype, x))


class BatchNorm(Module):
    _adopts = False
    use_running_average: bool = None
    axis: int = -1
    momentum: float = 0.99
    epsilon: float = 1e-5
    dtype: object = None
    param_dtype: object = np.float32
    use_bias: bool = True
    use_scale: bool = True
    bias_init: object = None
    scale_init: object = None
    axis_name: str = None
    axis_index_groups: object = None
    use_fast_variance: bool = True
    force_float32_reductions: bool = True

    def __call__(self, x, use_running_average=None, *, mask=None):
        average = self.use_running_average if use_running_average is None else use_running_average
        sizes = _feature_sizes(x, self.axis)
        self._statistic("mean", sizes, average)
        self._statistic("var", sizes, average)
        return _scaled(self, x, sizes)

    def _statistic(self, name, sizes, average):
        scope = self.scope
        held = _hold(scope, "batch_stats", name, tensor(sizes, np.float32, "jax.Array"))
        if is_known(len(held.shape)) and len(held.shape) == len(sizes):
            for axis in range(len(sizes)):
                if not (is_known(held.shape[axis]) and held.shape[axis] == 1):
                    require(held.shape[axis] == sizes[axis], f"the running `{name}` has shape {held.shape}, and the features have {sizes}")
        if scope is not None and not scope.root.creates and average is False:
            if scope.root.mutable is False:
                require(False, f"the running `{name}` is updated, but the collection `batch_stats` is not mutable: pass mutable=['batch_stats'] to apply")


class LayerNorm(Module):
    _adopts = False
    epsilon: float = 1e-6
    dtype: object = None
    param_dtype: object = np.float32
    use_bias: bool = True
    use_scale: bool = True
    bias_init: object = None
    scale_init: object = None
    reduction_axes: object = -1
    feature_axes: object = -1
    axis_name: str = None
    axis_index_groups: object = None
    use_fast_variance: bool = True
    force_float32_reductions: bool = True

    def __call__(self, x, *, mask=None):
        return _scaled(self, x, _feature_sizes(x, self.feature_axes))


class RMSNorm(Module):
    _adopts = False
    epsilon: float = 1e-6
    dtype: object = None
    param_dtype: object = np.float32
    use_scale: bool = True
    scale_init: object = None
    reduction_axes: object = -1
    feature_axes: object = -1
    axis_name: str = None
    axis_index_groups: object = None
    use_fast_variance: bool = True
    force_float32_reductions: bool = True
    use_bias = False

    def __call__(self, x, *, mask=None):
        return _scaled(self, x, _feature_sizes(x, self.feature_axes))


class GroupNorm(Module):
    _adopts = False
    num_groups: int = 32
    group_size: int = None
    epsilon: float = 1e-6
    dtype: object = None
    param_dtype: object = np.float32
    use_bias: bool = True
    use_scale: bool = True
    bias_init: object = None
    scale_init: object = None
    reduction_axes: object = None
    axis_name: str = None
    axis_index_groups: object = None
    use_fast_variance: bool = True
    force_float32_reductions: bool = True

    def __call__(self, x, *, mask=None):
        channels = x.shape[-1]
        if self.group_size is not None:
            require(channels % self.group_size == 0, f"{channels} channels cannot be divided into groups of {self.group_size}")
        else:
            require(channels % self.num_groups == 0, f"{channels} channels cannot be divided into {self.num_groups} groups")
        return _scaled(self, x, (channels,))


class InstanceNorm(Module):
    _adopts = False
    epsilon: float = 1e-6
    dtype: object = None
    param_dtype: object = np.float32
    use_bias: bool = True
    use_scale: bool = True
    bias_init: object = None
    scale_init: object = None
    feature_axes: object = -1
    axis_name: str = None
    axis_index_groups: object = None
    use_fast_variance: bool = True
    force_float32_reductions: bool = True

    def __call__(self, x, *, mask=None):
        return _scaled(self, x, _feature_sizes(x, self.feature_axes))


# Both run a layer with other values of its kernel; what they keep of it beside that is not told.
class WeightNorm(Module):
    layer_instance: Module
    epsilon: float = 1e-12
    dtype: object = None
    param_dtype: object = np.float32
    use_scale: bool = True
    scale_init: object = None
    feature_axes: object = -1
    variable_filter: object = None

    @compact
    def __call__(self, *args, **kwargs):
        return self.layer_instance(*args, **kwargs)


class SpectralNorm(Module):
    layer_instance: Module
    n_steps: int = 1
    epsilon: float = 1e-12
    dtype: object = None
    param_dtype: object = np.float32
    error_on_non_matrix: bool = False
    collection_name: str = "batch_stats"

    @compact
    def __call__(self, *args, update_stats, **kwargs):
        return self.layer_instance(*args, **kwargs)

# Layers that normalize: their parameters have the sizes of the channels.
import numpy as np
from haiku._frames import Module, _hold
from haiku._shapes import like
from harp_library import require


def _channel(data_format):
    return -1 if data_format in ("channels_last", "NWC", "NHWC", "NDHWC", "NC") else 1


class _Norm(Module, scoped=False):
    def _scaled(self, inputs, shape):
        if self.create_scale:
            self._weight("scale", shape, inputs.dtype, self.scale_init)
        if self.create_offset:
            self._weight("offset", shape, inputs.dtype, self.offset_init)
        return like(inputs, inputs.dtype)


class BatchNorm(_Norm, scoped=False):
    def __init__(
        self, create_scale, create_offset, decay_rate, eps=1e-5, scale_init=None, offset_init=None, axis=None, cross_replica_axis=None,
        cross_replica_axis_index_groups=None, data_format="channels_last", name=None,
    ):
        super().__init__(name=name)
        self.create_scale, self.create_offset, self.scale_init, self.offset_init = create_scale, create_offset, scale_init, offset_init
        self.axis, self.data_format = axis, data_format

    def __call__(self, inputs, is_training, test_local_stats=False, scale=None, offset=None):
        channel = _channel(self.data_format) % inputs.ndim
        axes = [axis for axis in range(inputs.ndim) if axis != channel] if self.axis is None else list(self.axis)
        shape = tuple([1 if axis in axes else inputs.shape[axis] for axis in range(inputs.ndim)])
        for name in ("mean_ema", "var_ema"):
            for held in ("hidden", "average"):
                _hold("state", f"{self.module_name}/~/{name}", held, shape, np.float32, None)
        return self._scaled(inputs, shape)


class LayerNorm(_Norm, scoped=False):
    def __init__(
        self, axis, create_scale, create_offset, eps=1e-5, scale_init=None, offset_init=None, use_fast_variance=False, name=None, *, param_axis=None
    ):
        super().__init__(name=name)
        self.create_scale, self.create_offset, self.scale_init, self.offset_init = create_scale, create_offset, scale_init, offset_init
        self.axis, self.param_axis = axis, (-1,) if param_axis is None else param_axis

    def __call__(self, inputs, scale=None, offset=None):
        if isinstance(self.param_axis, slice):
            return self._scaled(inputs, inputs.shape[self.param_axis])
        axes = (self.param_axis,) if isinstance(self.param_axis, int) else tuple(self.param_axis)
        if axes == (-1,):
            return self._scaled(inputs, (inputs.shape[-1],))
        axes = [axis % inputs.ndim for axis in axes]
        return self._scaled(inputs, tuple([inputs.shape[axis] if axis in axes else 1 for axis in range(inputs.ndim)]))


class RMSNorm(LayerNorm, scoped=False):
    def __init__(self, axis, eps=1e-5, scale_init=None, name=None, create_scale=True, *, param_axis=None):
        super().__init__(axis, create_scale, False, eps, scale_init, None, False, name, param_axis=param_axis)

    def __call__(self, inputs):
        return super().__call__(inputs)


class InstanceNorm(_Norm, scoped=False):
    def __init__(self, create_scale, create_offset, eps=1e-5, scale_init=None, offset_init=None, data_format="channels_last", name=None):
        super().__init__(name=name)
        self.create_scale, self.create_offset, self.scale_init, self.offset_init = create_scale, create_offset, scale_init, offset_init
        self.data_format = data_format

    def __call__(self, inputs, scale=None, offset=None):
        if _channel(self.data_format) == -1:
            return self._scaled(inputs, (inputs.shape[-1],))
        return self._scaled(inputs, (inputs.shape[1],) + (1,) * (inputs.ndim - 2))


class GroupNorm(InstanceNorm, scoped=False):
    def __init__(
        self, groups, axis=slice(1, None), create_scale=True, create_offset=True, eps=1e-5, scale_init=None, offset_init=None,
        data_format="channels_last", name=None,
    ):
        super().__init__(create_scale, create_offset, eps, scale_init, offset_init, data_format, name)
        self.groups = groups

    def __call__(self, x, scale=None, offset=None):
        channels = x.shape[_channel(self.data_format)]
        require(channels % self.groups == 0, f"the {channels} channels cannot be divided into {self.groups} groups")
        return super().__call__(x)

# Layers that multiply by a kernel: they know how many features they take.
import numpy as np
from flax._shapes import like as _like, with_last as _with_last, with_more as _with_more
from flax.linen._windows import _each, _transposed, _windows, _with_windows
from flax.linen.linear import _computed, _several
from flax.nnx._graph import Module
from flax.nnx._variables import LoRAParam, Param
from harp_library import is_known, judge, require, tensor
from jax.numpy import einsum as _einsum


def _weight(shape, dtype, kind=Param):
    return kind(tensor(shape, dtype, "jax.Array"))


class Linear(Module):
    _holds = ("kernel", "bias")

    def __init__(self, in_features, out_features, *, use_bias=True, dtype=None, param_dtype=np.float32, rngs=None, **options):
        self.in_features, self.out_features, self.use_bias = in_features, out_features, use_bias
        self.dtype, self.param_dtype = dtype, param_dtype
        self.kernel = _weight((in_features, out_features), param_dtype)
        self.bias = _weight((out_features,), param_dtype) if use_bias else None

    def __call__(self, inputs, out_sharding=None):
        return self._applied(inputs)

    def _applied(self, inputs):
        require(inputs.shape[-1] == self.in_features, f"expected {self.in_features} features (`in_features`), got {inputs.shape[-1]} in {inputs.shape}")
        return _with_last(inputs, self.out_features, _computed(self.dtype, self.param_dtype, inputs))


class LinearGeneral(Module):
    _holds = ("kernel", "bias")

    def __init__(
        self, in_features, out_features, *, axis=-1, batch_axis=None, use_bias=True, dtype=None, param_dtype=np.float32, rngs=None, **options
    ):
        self.in_features, self.out_features = _several(in_features), _several(out_features)
        self.axis, self.batch_axis = _several(axis), {} if batch_axis is None else batch_axis
        self.dtype, self.param_dtype = dtype, param_dtype
        require(len(self.in_features) == len(self.axis), f"expected as many axes as features, got {len(self.axis)} and {len(self.in_features)}")
        batch = tuple(self.batch_axis.values())
        self.kernel = _weight(batch + self.in_features + self.out_features, param_dtype)
        self.bias = _weight(batch + self.out_features, param_dtype) if use_bias else None

    def __call__(self, inputs, out_sharding=None):
        if self.axis == (-1,) and not self.batch_axis:
            require(inputs.shape[-1] == self.in_features[0], f"expected {self.in_features[0]} features, got {inputs.shape[-1]} in {inputs.shape}")
            if not is_known(inputs.ndim):
                return tensor(inputs.shape[:-1] + self.out_features, _computed(self.dtype, self.param_dtype, inputs), "jax.Array")
        count = inputs.ndim
        for axis in self.axis:
            require(-count <= axis, f"the input has {count} axes, and no axis {axis}")
            require(axis < count, f"the input has {count} axes, and no axis {axis}")
        axes = [axis % count for axis in self.axis]
        batch = [axis % count for axis in self.batch_axis]
        for place in range(len(axes)):
            size = inputs.shape[axes[place]]
            require(size == self.in_features[place], f"expected {self.in_features[place]} features in axis {axes[place]}, got {size}")
        kept = tuple([inputs.shape[axis] for axis in range(count) if axis not in axes and axis not in batch])
        return tensor(
            tuple([inputs.shape[axis] for axis in batch]) + kept + self.out_features, _computed(self.dtype, self.param_dtype, inputs), "jax.Array"
        )


class Einsum(Module):
    _holds = ("kernel", "bias")

    def __init__(self, einsum_str, kernel_shape, bias_shape=None, *, dtype=None, param_dtype=np.float32, rngs=None, **options):
        self.einsum_str, self.kernel_shape, self.bias_shape = einsum_str, kernel_shape, bias_shape
        self.dtype, self.param_dtype = dtype, param_dtype
        self.kernel = _weight(tuple(kernel_shape), param_dtype)
        self.bias = None if bias_shape is None else _weight(tuple(bias_shape), param_dtype)

    def __call__(self, inputs, einsum_str=None, out_sharding=None):
        text = (self.einsum_str if einsum_str is None else einsum_str).replace(" ", "")
        output = _einsum(text, inputs, self.kernel.raw_value)
        if self.bias is not None:
            output = output + self.bias.raw_value
        return tensor(output.shape, _computed(self.dtype, self.param_dtype, inputs), "jax.Array")


class Embed(Module):
    _holds = ("embedding",)

    def __init__(self, num_embeddings, features, *, dtype=None, param_dtype=np.float32, rngs=None, **options):
        self.num_embeddings, self.features = num_embeddings, features
        self.dtype, self.param_dtype = dtype, param_dtype
        self.embedding = _weight((num_embeddings, features), param_dtype)

    def __call__(self, inputs, out_sharding=None):
        return _with_more(inputs, self.features, self.param_dtype if self.dtype is None else self.dtype)

    def attend(self, query, out_sharding=None):
        require(query.shape[-1] == self.features, f"the query has {query.shape[-1]} features, and the embedding {self.features}")
        return _with_last(query, self.num_embeddings, _computed(self.dtype, self.param_dtype, query))


class Conv(Module):
    _holds = ("kernel", "bias")

    def __init__(
        self, in_features, out_features, kernel_size, strides=1, *, padding="SAME", input_dilation=1, kernel_dilation=1, feature_group_count=1,
        use_bias=True, mask=None, dtype=None, param_dtype=np.float32, rngs=None, **options
    ):
        windows = _several(kernel_size)
        if feature_group_count != 1:
            require(in_features % feature_group_count == 0, f"{in_features} features cannot be divided into {feature_group_count} groups")
            require(out_features % feature_group_count == 0, f"{out_features} features cannot be divided into {feature_group_count} groups")
        self.in_features, self.out_features, self.kernel_size = in_features, out_features, windows
        self.strides, self.padding = _each(strides, len(windows)), padding
        self.input_dilation, self.kernel_dilation = _each(input_dilation, len(windows)), _each(kernel_dilation, len(windows))
        self.dtype, self.param_dtype = dtype, param_dtype
        self.kernel = _weight((*windows, in_features // feature_group_count, out_features), param_dtype)
        self.bias = _weight((out_features,), param_dtype) if use_bias else None

    def __call__(self, inputs, out_sharding=None):
        count = len(self.kernel_size)
        judge(inputs.ndim >= count + 1, f"the input of a convolution with {count} window axes needs at least {count + 1} axes, got {inputs.ndim}")
        require(inputs.shape[-1] == self.in_features, f"expected {self.in_features} channels (`in_features`), got {inputs.shape[-1]} in {inputs.shape}")
        sizes = _windows(inputs, self.kernel_size, self.strides, self.padding, self.kernel_dilation, self.input_dilation)
        return _with_windows(inputs, sizes, self.out_features, _computed(self.dtype, self.param_dtype, inputs))


class ConvTranspose(Module):
    _holds = ("kernel", "bias")

    def __init__(
        self, in_features, out_features, kernel_size, strides=None, *, padding="SAME", kernel_dilation=None, use_bias=True, mask=None, dtype=None,
        param_dtype=np.float32, transpose_kernel=False, rngs=None, **options
    ):
        windows = _several(kernel_size)
        self.in_features, self.out_features, self.kernel_size = in_features, out_features, windows
        self.strides, self.padding = _each(strides, len(windows)), padding
        self.kernel_dilation = _each(kernel_dilation, len(windows))
        self.dtype, self.param_dtype = dtype, param_dtype
        channels = (out_features, in_features) if transpose_kernel else (in_features, out_features)
        self.kernel = _weight(windows + channels, param_dtype)
        self.bias = _weight((out_features,), param_dtype) if use_bias else None

    def __call__(self, inputs):
        count = len(self.kernel_size)
        judge(inputs.ndim >= count + 1, f"the input of a convolution with {count} window axes needs at least {count + 1} axes, got {inputs.ndim}")
        require(inputs.shape[-1] == self.in_features, f"expected {self.in_features} channels (`in_features`), got {inputs.shape[-1]} in {inputs.shape}")
        sizes = _transposed(inputs, self.kernel_size, self.strides, self.padding, self.kernel_dilation)
        return _with_windows(inputs, sizes, self.out_features, _computed(self.dtype, self.param_dtype, inputs))


class PReLU(Module):
    _holds = ("negative_slope",)

    def __init__(self, negative_slope_init=0.01, *, dtype=None, param_dtype=np.float32, **options):
        self.negative_slope = _weight((), param_dtype)

    def __call__(self, inputs):
        return _like(inputs, inputs.dtype)


class LoRA(Module):
    _holds = ("lora_a", "lora_b", "base_module")

    def __init__(
        self, in_features, lora_rank, out_features, *, base_module=None, dtype=None, param_dtype=np.float32, lora_param_type=LoRAParam, rngs=None,
        **options
    ):
        self.in_features, self.out_features, self.base_module = in_features, out_features, base_module
        self.dtype, self.param_dtype = dtype, param_dtype
        self.lora_a = _weight((in_features, lora_rank), param_dtype, lora_param_type)
        self.lora_b = _weight((lora_rank, out_features), param_dtype, lora_param_type)

    def __call__(self, x, **kwargs):
        require(x.shape[-1] == self.in_features, f"expected {self.in_features} features (`in_features`), got {x.shape[-1]} in {x.shape}")
        output = _with_last(x, self.out_features, _computed(self.dtype, self.param_dtype, x))
        return output if self.base_module is None else output + self.base_module(x, **kwargs)


class LoRALinear(Linear):
    _holds = ("kernel", "bias", "lora")

    def __init__(
        self, in_features, out_features, *, lora_rank, lora_dtype=None, lora_param_dtype=np.float32, lora_param_type=LoRAParam, rngs=None, **options
    ):
        super().__init__(in_features, out_features, rngs=rngs, **options)
        self.lora = LoRA(in_features, lora_rank, out_features, dtype=lora_dtype, param_dtype=lora_param_dtype, lora_param_type=lora_param_type)

    def __call__(self, x, out_sharding=None):
        return self._applied(x)

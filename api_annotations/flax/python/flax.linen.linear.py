# Layers that multiply by a kernel, and tables of vectors.
import numpy as np
from flax.linen.module import Module
from flax._shapes import with_last as _with_last, with_more as _with_more
from harp_library import require, tensor
from jax.nn.initializers import lecun_normal as _lecun_normal
from jax.numpy import einsum as _einsum

default_kernel_init = default_embed_init = _lecun_normal()


# The element type that a layer computes in: its own, or what inputs and parameters have in common.
def _computed(dtype, param_dtype, *inputs):
    if dtype is not None:
        return dtype
    if param_dtype is np.float32:
        return param_dtype
    common = tensor((), param_dtype, "jax.Array")
    for one in inputs:
        common = common * tensor((), one.dtype, "jax.Array")
    return common.dtype


def _several(value):
    return (value,) if isinstance(value, int) else tuple(value)


class Dense(Module):
    _adopts = False
    features: int
    use_bias: bool = True
    dtype: object = None
    param_dtype: object = np.float32
    precision: object = None
    kernel_init: object = None
    bias_init: object = None
    promote_dtype: object = None
    dot_general: object = None
    dot_general_cls: object = None

    def __call__(self, inputs):
        require(inputs.ndim >= 1, "a dense layer takes at least one axis")
        self._weight("kernel", inputs.shape[-1], self.features)
        if self.use_bias:
            self._weight("bias", self.features)
        return _with_last(inputs, self.features, _computed(self.dtype, self.param_dtype, inputs))


class DenseGeneral(Module):
    _adopts = False
    features: object
    axis: object = -1
    batch_dims: object = ()
    use_bias: bool = True
    dtype: object = None
    param_dtype: object = np.float32
    kernel_init: object = None
    bias_init: object = None
    precision: object = None
    promote_dtype: object = None
    dot_general: object = None
    dot_general_cls: object = None

    def __call__(self, inputs):
        features, count = _several(self.features), inputs.ndim
        for axis in _several(self.axis) + _several(self.batch_dims):
            require(-count <= axis, f"the input has {count} axes, and no axis {axis}")
            require(axis < count, f"the input has {count} axes, and no axis {axis}")
        axes = [axis % count for axis in _several(self.axis)]
        batch = [axis % count for axis in _several(self.batch_dims)]
        sizes = tuple([inputs.shape[axis] for axis in axes])
        batch_sizes = tuple([inputs.shape[axis] for axis in batch])
        self._weight("kernel", *batch_sizes, *sizes, *features)
        if self.use_bias:
            self._weight("bias", *batch_sizes, *features)
        rest = tuple([inputs.shape[axis] for axis in range(count) if axis not in axes and axis not in batch])
        return tensor(batch_sizes + rest + features, _computed(self.dtype, self.param_dtype, inputs), "jax.Array")


class Einsum(Module):
    _adopts = False
    shape: object
    einsum_str: str = None
    use_bias: bool = True
    dtype: object = None
    param_dtype: object = np.float32
    precision: object = None
    kernel_init: object = None
    bias_init: object = None
    promote_dtype: object = None
    preferred_element_type: object = None

    def __call__(self, inputs, einsum_str=None):
        text = (self.einsum_str if einsum_str is None else einsum_str).replace(" ", "")
        kernel = self._weight("kernel", *self.shape)
        if self.use_bias:
            operand, result = text.split(",")[1].split("->")
            sizes = dict(zip(operand, self.shape))
            self._weight("bias", *[sizes[letter] for letter in result if letter in sizes])
        return tensor(_einsum(text, inputs, kernel).shape, _computed(self.dtype, self.param_dtype, inputs), "jax.Array")


class Embed(Module):
    _adopts = False
    num_embeddings: int
    features: int
    dtype: object = None
    param_dtype: object = np.float32
    embedding_init: object = None
    promote_dtype: object = None

    @property
    def embedding(self):
        return self._weight("embedding", self.num_embeddings, self.features)

    def __call__(self, inputs):
        self._weight("embedding", self.num_embeddings, self.features)
        return _with_more(inputs, self.features, self.param_dtype if self.dtype is None else self.dtype)

    def attend(self, query):
        self._weight("embedding", self.num_embeddings, self.features)
        require(query.shape[-1] == self.features, f"the query has {query.shape[-1]} features, and the embedding {self.features}")
        return _with_last(query, self.num_embeddings, _computed(self.dtype, self.param_dtype, query))

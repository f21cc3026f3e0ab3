# Layers that multiply, tables of vectors, and what puts layers together.
import math

import jax
import numpy as np
from haiku._frames import Module
from haiku._shapes import like, with_last, with_more
from harp_library import require, tensor


class Linear(Module, scoped=False):
    def __init__(self, output_size, with_bias=True, w_init=None, b_init=None, name=None):
        super().__init__(name=name)
        self.input_size = None
        self.output_size, self.with_bias, self.w_init, self.b_init = output_size, with_bias, w_init, b_init

    def __call__(self, inputs, *, precision=None):
        require(inputs.ndim >= 1, "a linear layer takes at least one axis")
        self.input_size = inputs.shape[-1]
        self._weight("w", (inputs.shape[-1], self.output_size), inputs.dtype, self.w_init)
        if self.with_bias:
            self._weight("b", (self.output_size,), inputs.dtype, self.b_init)
        return with_last(inputs, self.output_size, inputs.dtype)


class Bias(Module, scoped=False):
    def __init__(self, output_size=None, b_init=None, bias_dims=None, name=None):
        super().__init__(name=name)
        self.output_size, self.b_init, self.bias_dims = output_size, b_init, bias_dims

    def __call__(self, inputs, multiplier=None):
        kept = range(1, inputs.ndim) if self.bias_dims is None else [axis % inputs.ndim for axis in self.bias_dims]
        self._weight("b", tuple([inputs.shape[axis] for axis in kept]), inputs.dtype, self.b_init)
        return like(inputs, inputs.dtype)


class Embed(Module, scoped=False):
    def __init__(self, vocab_size=None, embed_dim=None, embedding_matrix=None, w_init=None, lookup_style="ARRAY_INDEX", name=None, precision=None):
        super().__init__(name=name)
        if embedding_matrix is not None:
            vocab_size, embed_dim = np.shape(embedding_matrix)
        self.vocab_size, self.embed_dim, self.w_init = vocab_size, embed_dim, w_init

    @property
    def embeddings(self):
        return self._weight("embeddings", (self.vocab_size, self.embed_dim), np.float32, self.w_init)

    def __call__(self, ids, lookup_style=None, precision=None):
        self._weight("embeddings", (self.vocab_size, self.embed_dim), np.float32, self.w_init)
        return with_more(ids, self.embed_dim, np.float32)


class Sequential(Module, scoped=False):
    def __init__(self, layers, name=None):
        super().__init__(name=name)
        self.layers = tuple(layers)

    def __call__(self, inputs, *args, **kwargs):
        out = inputs
        for place, layer in enumerate(self.layers):
            out = layer(out, *args, **kwargs) if place == 0 else layer(out)
        return out


class Reshape(Module, scoped=False):
    def __init__(self, output_shape, preserve_dims=1, name=None):
        super().__init__(name=name)
        self.output_shape, self.preserve_dims = tuple(output_shape), preserve_dims

    def __call__(self, inputs):
        if inputs.ndim <= self.preserve_dims:
            return inputs
        return jax.numpy.reshape(inputs, inputs.shape[: self.preserve_dims] + self.output_shape)


class Flatten(Reshape, scoped=False):
    def __init__(self, preserve_dims=1, name=None):
        super().__init__((-1,), preserve_dims, name)


class MLP(Module, scoped=False):
    def __init__(self, output_sizes, w_init=None, b_init=None, with_bias=True, activation=jax.nn.relu, activate_final=False, name=None):
        super().__init__(name=name)
        self.output_sizes, self.activation, self.activate_final = tuple(output_sizes), activation, activate_final
        self.layers = []
        for index, size in enumerate(self.output_sizes):
            layer = Linear(size, with_bias, w_init, b_init, f"linear_{index}")
            layer.module_name = f"{self.module_name}/~/linear_{index}"
            self.layers.append(layer)
        self.output_size = self.output_sizes[-1] if self.output_sizes else None

    def __call__(self, inputs, dropout_rate=None, rng=None):
        out = inputs
        for index, layer in enumerate(self.layers):
            out = layer(out)
            if index < len(self.layers) - 1 or self.activate_final:
                out = self.activation(out)
        return out


class BatchApply:
    # The leading axes are one for the function, and several again behind it.
    def __init__(self, f, num_dims=2):
        self.f, self.num_dims = f, num_dims

    def __call__(self, *args, **kwargs):
        arrays = jax.tree_util.tree_leaves((args, kwargs))
        leading = arrays[0].shape[: self.num_dims]
        merged = jax.tree_util.tree_map(lambda x: _merged(x, self.num_dims), (args, kwargs))
        return jax.tree_util.tree_map(lambda x: jax.numpy.reshape(x, leading + x.shape[1:]), self.f(*merged[0], **merged[1]))


def _merged(x, count):
    return jax.numpy.reshape(x, (math.prod(x.shape[:count]),) + x.shape[count:]) if hasattr(x, "shape") else x


def dropout(rng, rate, x, broadcast_dims=()):
    return like(x, x.dtype)


def to_module(f):
    class ToModuleWrapper(Module):
        def __init__(self, name=None):
            super().__init__(name=f.__name__ if name is None else name)

        def __call__(self, *args, **kwargs):
            return f(*args, **kwargs)

    return ToModuleWrapper

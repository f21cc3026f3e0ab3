# What runs a function as it is: compiled, with less memory, or with its sizes alone.
import functools
import numpy as np
from harp_library import traced, tensor, tree_map, unknown


def jit(fun=None, /, *, static_argnums=None, static_argnames=None, **options):
    if fun is None:
        return jit
    return traced(fun, "jax.Array")


def checkpoint(fun=None, *, prevent_cse=True, policy=None, static_argnums=(), static_argnames=(), concrete=False):
    if fun is None:
        return checkpoint
    return fun


remat = checkpoint


def named_call(fun=None, *, name=None):
    if fun is None:
        return named_call
    return fun


class named_scope:
    def __init__(self, name):
        self.name = name

    def __enter__(self):
        return None

    def __exit__(self, *exception):
        return None

    def __call__(self, fun):
        return fun


class ShapeDtypeStruct:
    def __init__(self, shape, dtype, *, named_shape=None, sharding=None, weak_type=False, vma=None, is_ref=False):
        self.shape, self.dtype, self.sharding = tuple(shape), dtype, sharding

    @property
    def ndim(self):
        return len(self.shape)

    @property
    def size(self):
        return np.prod(self.shape)

    def __len__(self):
        return self.shape[0]


def _as_array(leaf):
    if isinstance(leaf, ShapeDtypeStruct):
        return tensor(leaf.shape, leaf.dtype, "jax.Array")
    return leaf


def eval_shape(fun, *arguments, **keywords):
    # What it gives has a shape and a type, as arrays have.
    arguments = [tree_map(_as_array, argument) for argument in arguments]
    keywords = {key: tree_map(_as_array, value) for key, value in keywords.items()}
    return fun(*arguments, **keywords)


def make_jaxpr(fun, static_argnums=(), axis_env=None, return_shape=False):
    def traced(*arguments, **keywords):
        fun(*[tree_map(_as_array, argument) for argument in arguments], **keywords)
        return unknown("a jaxpr")
    return traced


def pure_callback(callback, result_shape_dtypes, *arguments, sharding=None, vmap_method=None, vectorized=None, **keywords):
    return tree_map(lambda leaf: tensor(leaf.shape, leaf.dtype, "jax.Array"), result_shape_dtypes)

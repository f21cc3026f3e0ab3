# Functions of functions, which are those of JAX, and the names of types.
from jax import checkpoint as remat, eval_shape, grad, jit, value_and_grad
from jax import vmap as _vmap
from jax.lax import cond, fori_loop, scan, switch, while_loop
from jax.nn import one_hot

Params = MutableParams = State = MutableState = dict


def vmap(fun, in_axes=0, out_axes=0, axis_name=None, axis_size=None, *, split_rng):
    return _vmap(fun, in_axes=in_axes, out_axes=out_axes, axis_size=axis_size)

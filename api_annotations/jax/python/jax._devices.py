# Where arrays lie.
import numpy as np
from harp_library import array, tree_map


def _on_device(leaf):
    import jax.numpy as jnp
    return jnp.asarray(leaf)


def device_put(x, device=None, *, src=None, donate=False, may_alias=None):
    return tree_map(_on_device, x)


def _on_host(leaf):
    return np.asarray(leaf)


def device_get(x):
    return tree_map(_on_host, x)


def block_until_ready(x):
    return x


def copy_to_host_async(x):
    return x

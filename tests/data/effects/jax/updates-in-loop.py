"""`x.at[i].set(value)` for each element outside of compiled code, against one expression."""
import jax.numpy as jnp

CASES = {"500 elements": (500,)}


def setup(n):
    return n


def before(n):
    x = jnp.zeros(n)
    for i in range(n):
        x = x.at[i].set(i * 2.0)
    return x.block_until_ready()


def after(n):
    x = jnp.arange(n) * 2.0
    return x.block_until_ready()

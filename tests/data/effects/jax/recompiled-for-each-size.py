"""The mean of the first n rows for 10 sizes, against a masked mean of one size."""
import jax
import jax.numpy as jnp

CASES = {"10 sizes of up to 500 × 8": (500, 10)}


def setup(rows, sizes):
    return sizes, jnp.ones((rows, 8))


def before(sizes, x):
    mean = jax.jit(lambda x: jnp.mean(x, axis=0))
    return [mean(x[:n]).block_until_ready() for n in range(400, 400 + sizes)]


def after(sizes, x):
    mean = jax.jit(lambda x, n: jnp.sum(jnp.where(jnp.arange(x.shape[0])[:, None] < n, x, 0), axis=0) / n)
    return [mean(x, n).block_until_ready() for n in range(400, 400 + sizes)]

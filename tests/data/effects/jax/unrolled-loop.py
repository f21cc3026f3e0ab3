"""A loop of Python in a compiled function, against `fori_loop`: to compile it and run it once."""
import jax
import jax.numpy as jnp

CASES = {"200 iterations": (200,), "50 iterations": (50,), "10 iterations": (10,)}


def setup(n):
    return n, jnp.ones(8)


def before(n, x):
    def f(x):
        for i in range(n):
            x = jnp.sin(x) * 0.5
        return x
    return jax.jit(f)(x).block_until_ready()


def after(n, x):
    def f(x):
        return jax.lax.fori_loop(0, n, lambda i, x: jnp.sin(x) * 0.5, x)
    return jax.jit(f)(x).block_until_ready()

"""A step number as a static argument in 10 steps, against a traced one."""
from functools import partial

import jax
import jax.numpy as jnp

CASES = {"10 steps, 8 numbers": (10, 8)}


def setup(steps, n):
    return steps, jnp.ones(n)


def before(steps, x):
    # A new function each time, as a second run would find all numbers compiled.
    decay = jax.jit(lambda x, step: x * 0.99 ** step, static_argnums=1)
    for step in range(steps):
        x = decay(x, step)
    return x


def after(steps, x):
    decay = jax.jit(lambda x, step: x * 0.99 ** step)
    for step in range(steps):
        x = decay(x, step)
    return x

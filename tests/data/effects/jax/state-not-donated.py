"""A compiled step that keeps the old state, against one that is given its memory (`donate_argnums`)."""
from functools import partial

import jax
import jax.numpy as jnp

CASES = {"4,096 × 4,096, 5 steps": (4096, 5)}
MEASURE = ["memory", "time"]


@jax.jit
def keeps(state, x):
    return state + x


@partial(jax.jit, donate_argnums=0)
def donates(state, x):
    return state + x


def setup(n, steps):
    return n, steps


def before(n, steps):
    state = jnp.zeros((n, n))
    for i in range(steps):
        state = keeps(state, 1.0)
    return float(state[0, 0])


def after(n, steps):
    state = jnp.zeros((n, n))
    for i in range(steps):
        state = donates(state, 1.0)
    return float(state[0, 0])

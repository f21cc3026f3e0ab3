"""A function that `jax.jit` compiles within each of 5 calls, against one compiled at the module."""
import jax
import jax.numpy as jnp

CASES = {"5 calls, 8 × 4": (5,)}


def setup(calls):
    return calls, jnp.ones((4, 8)), jnp.ones((8, 4))


def before(calls, params, x):
    total = 0.0
    for i in range(calls):
        @jax.jit
        def forward(params, x):
            return jnp.tanh(x @ params).sum()
        total += forward(params, x)
    return total


@jax.jit
def forward_once(params, x):
    return jnp.tanh(x @ params).sum()


def after(calls, params, x):
    total = 0.0
    for i in range(calls):
        total += forward_once(params, x)
    return total

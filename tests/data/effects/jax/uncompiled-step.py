"""10 steps of training without `jax.jit`, against a compiled step."""
import jax
import jax.numpy as jnp

CASES = {"MLP 32-64-1, batch 32": (32, 64, 32), "MLP 512-2048-1, batch 256": (512, 2048, 256)}


def loss(w, x):
    return jnp.mean((jnp.tanh(x @ w[0]) @ w[1]) ** 2)


def setup(inputs, hidden, batch):
    return (jnp.ones((inputs, hidden)) / inputs, jnp.ones((hidden, 1)) / hidden), jnp.ones((batch, inputs))


def step(w, x):
    return jax.tree.map(lambda p, g: p - 0.1 * g, w, jax.grad(loss)(w, x))


fast = jax.jit(step)


def before(w, x):
    for i in range(10):
        w = step(w, x)
    return jax.block_until_ready(w)


def after(w, x):
    for i in range(10):
        w = fast(w, x)
    return jax.block_until_ready(w)

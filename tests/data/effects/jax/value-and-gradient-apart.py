"""`loss` beside `grad(loss)`, against `value_and_grad`; both compiled."""
import jax
import jax.numpy as jnp

CASES = {"1,000 × 512 linear": (1000, 512), "10 × 8 linear": (10, 8)}


def loss(w, x, y):
    return jnp.mean((x @ w - y) ** 2)


gradient, value, both = jax.jit(jax.grad(loss)), jax.jit(loss), jax.jit(jax.value_and_grad(loss))


def setup(rows, columns):
    return jnp.zeros((columns, 8)), jnp.ones((rows, columns)), jnp.ones((rows, 8))


def before(w, x, y):
    total = 0.0
    for i in range(10):
        g = gradient(w, x, y)
        total += float(value(w, x, y))
        w = w - 0.0001 * g
    return total


def after(w, x, y):
    total = 0.0
    for i in range(10):
        v, g = both(w, x, y)
        total += float(v)
        w = w - 0.0001 * g
    return total

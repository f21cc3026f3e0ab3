"""`loss` beside `grad(loss)` in 5 steps, against `value_and_grad`; both compiled."""
import jax
import jax.numpy as jnp

CASES = {"MLP 784-256-10, batch 128": (784, 256, 128), "MLP 8-8-10, batch 8": (8, 8, 8)}


def loss(w, x, y):
    return jnp.mean((jnp.tanh(x @ w[0]) @ w[1] - y) ** 2)


gradient, value, both = jax.jit(jax.grad(loss)), jax.jit(loss), jax.jit(jax.value_and_grad(loss))


def setup(inputs, hidden, batch):
    return (jnp.ones((inputs, hidden)) / inputs, jnp.ones((hidden, 10)) / hidden), jnp.ones((batch, inputs)), jnp.ones((batch, 10))


def stepped(w, g):
    return w[0] - 0.1 * g[0], w[1] - 0.1 * g[1]


def before(w, x, y):
    total = 0.0
    for i in range(5):
        g = gradient(w, x, y)
        total += float(value(w, x, y))
        w = stepped(w, g)
    return total


def after(w, x, y):
    total = 0.0
    for i in range(5):
        v, g = both(w, x, y)
        total += float(v)
        w = stepped(w, g)
    return total

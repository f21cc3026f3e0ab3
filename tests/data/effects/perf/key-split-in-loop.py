"""A key split in each of 50 iterations beside a compiled step, against within it."""
import jax

CASES = {"50 steps of 4 numbers": (50,)}


@jax.jit
def apart(key, x):
    return x + jax.random.normal(key, x.shape)


@jax.jit
def together(key, x):
    key, own = jax.random.split(key)
    return key, x + jax.random.normal(own, x.shape)


def setup(steps):
    return steps, jax.random.PRNGKey(0), jax.numpy.zeros(4)


def before(steps, key, x):
    for i in range(steps):
        key, own = jax.random.split(key)
        x = apart(own, x)
    return x.block_until_ready()


def after(steps, key, x):
    for i in range(steps):
        key, x = together(key, x)
    return x.block_until_ready()

"""`tf.map_fn` of a function of numbers, against the function of the whole tensor, both in a `tf.function`."""
import tensorflow as tf

CASES = {"1,000 × 8": (1000, 8), "100 × 10,000": (100, 10000)}


def setup(rows, columns):
    return tf.random.stateless_normal([rows, columns], [1, 2])


@tf.function
def before(x):
    return tf.map_fn(lambda row: row * 2 + 1, x)


@tf.function
def after(x):
    return x * 2 + 1

"""A Python number given to a `tf.function` in 20 steps, against a tensor."""
import tensorflow as tf

CASES = {"20 steps, 64 × 64": (20, 64)}


def setup(steps, n):
    return steps, tf.ones([n, n])


def before(steps, x):
    scale = tf.function(lambda v, k: v * k)
    for i in range(steps):
        x = scale(x, i + 1)
    return x[0, 0]


def after(steps, x):
    scale = tf.function(lambda v, k: v * k)
    for i in range(steps):
        x = scale(x, tf.constant(i + 1, tf.float32))
    return x[0, 0]

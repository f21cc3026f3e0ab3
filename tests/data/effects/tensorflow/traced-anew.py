"""A `tf.function` defined in each of 10 iterations, against one defined before."""
import tensorflow as tf

CASES = {"10 iterations, 64 × 64": (10, 64)}


def setup(iterations, n):
    return iterations, tf.ones([n, n]) / n


def before(iterations, x):
    for i in range(iterations):
        @tf.function
        def square(v):
            return v @ v
        x = square(x)
    return x


@tf.function
def square_once(v):
    return v @ v


def after(iterations, x):
    for i in range(iterations):
        x = square_once(x)
    return x

"""`range` in a `tf.function`, against `tf.range`: to trace it and run it once."""
import tensorflow as tf

CASES = {"300 iterations": (300,), "50 iterations": (50,), "10 iterations": (10,)}


def setup(n):
    return n, tf.ones([8])


def before(n, x):
    @tf.function
    def run(x):
        for i in range(n):
            x = x + 0.01 * tf.sin(x)
        return x
    return run(x)


def after(n, x):
    @tf.function
    def run(x):
        for i in tf.range(n):
            x = x + 0.01 * tf.sin(x)
        return x
    return run(x)

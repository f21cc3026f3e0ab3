"""`tf.numpy_function` for each element of a pipeline, against the operation of TensorFlow."""
import numpy as np
import tensorflow as tf

CASES = {"1,000 elements": (1000,)}


def setup(n):
    return tf.data.Dataset.range(n)


def before(data):
    total = 0.0
    for x in data.map(lambda i: tf.numpy_function(np.sqrt, [tf.cast(i, tf.float64)], tf.float64)).batch(100, drop_remainder=True):
        total += float(x[0])
    return total


def after(data):
    total = 0.0
    for x in data.map(lambda i: tf.sqrt(tf.cast(i, tf.float64))).batch(100, drop_remainder=True):
        total += float(x[0])
    return total

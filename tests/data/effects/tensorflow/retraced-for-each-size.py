"""A `tf.function` called with 20 sizes, against an `input_signature`."""
import tensorflow as tf

CASES = {"20 sizes of up to 20 × 8": (20,)}


def setup(sizes):
    return [tf.ones([n, 8]) for n in range(1, sizes)]


def before(inputs):
    total = tf.function(lambda v: tf.reduce_sum(tf.tanh(v) * 2))
    return [total(x) for x in inputs]


def after(inputs):
    total = tf.function(lambda v: tf.reduce_sum(tf.tanh(v) * 2), input_signature=[tf.TensorSpec([None, 8])])
    return [total(x) for x in inputs]

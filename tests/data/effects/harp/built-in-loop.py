"""An operation added to a TensorFlow 1 graph in each iteration, against one added once."""
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
CASES = {"100 runs": (100,), "400 runs": (400,)}


def setup(runs):
    return runs


def before(runs):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.ones([30, 30])
        for i in range(runs):
            y = tf.square(x)
            session.run(y)


def after(runs):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.ones([30, 30])
        y = tf.square(x)
        for i in range(runs):
            session.run(y)

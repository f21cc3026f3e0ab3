"""A step and its loss in two runs with the same feed, against one."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
CASES = {"linear model 784-10, batch 128": (784, 10, 128), "linear model 4-1, batch 8": (4, 1, 8)}


def setup(inputs, outputs, batch):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [None, inputs])
        w = tf.Variable(tf.zeros([inputs, outputs]))
        loss = tf.reduce_mean(tf.matmul(x, w) ** 2)
        step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        session = tf.Session()
        session.run(tf.global_variables_initializer())
    return session, step, loss, {x: np.random.rand(batch, inputs).astype("float32")}


def before(session, step, loss, feed):
    session.run(step, feed_dict=feed)
    return session.run(loss, feed_dict=feed)


def after(session, step, loss, feed):
    _, value = session.run([step, loss], feed_dict=feed)
    return value

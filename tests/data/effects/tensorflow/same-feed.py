"""An array fed in each of 3 runs, against one that lies in a variable."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
CASES = {"10,000 × 784": (10000, 784), "1,000 × 784": (1000, 784), "1,000 × 10": (1000, 10)}


def setup(rows, columns):
    images = np.random.rand(rows, columns).astype("float32")
    graph = tf.Graph()
    with graph.as_default():
        start = tf.placeholder(tf.float32, [rows, columns])
        kept = tf.Variable(start, trainable=False)
        fed = tf.placeholder(tf.float32, [None, columns])
        w = tf.Variable(tf.zeros([columns, 1]))
        steps = []
        for x in (fed, kept):
            loss = tf.reduce_mean(tf.matmul(x, w) ** 2)
            steps.append(tf.train.GradientDescentOptimizer(0.1).minimize(loss))
        session = tf.Session()
        session.run(tf.global_variables_initializer(), feed_dict={start: images})
    return session, fed, steps, images


def before(session, fed, steps, images):
    for i in range(3):
        session.run(steps[0], feed_dict={fed: images})


def after(session, fed, steps, images):
    for i in range(3):
        session.run(steps[1])

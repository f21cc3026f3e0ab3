"""A session for each of 20 runs, against one for all."""
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
CASES = {"20 runs, 8 numbers": (20,)}


def setup(runs):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.placeholder(tf.float32, [8])
        y = x * 2
    return graph, runs, x, y


def before(graph, runs, x, y):
    total = 0.0
    for i in range(runs):
        with tf.Session(graph=graph) as session:
            total += session.run(y, {x: [float(i)] * 8})[0]
    return total


def after(graph, runs, x, y):
    total = 0.0
    with tf.Session(graph=graph) as session:
        for i in range(runs):
            total += session.run(y, {x: [float(i)] * 8})[0]
    return total

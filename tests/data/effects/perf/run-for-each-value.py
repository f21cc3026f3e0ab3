"""Three layers fetched in runs of their own, against one run."""
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
CASES = {"3 layers of 512, batch 64": (512, 64), "3 layers of 8, batch 1": (8, 1)}


def setup(width, batch):
    graph = tf.Graph()
    with graph.as_default():
        x = tf.Variable(tf.ones([batch, width]) / width)
        layers = []
        h = x
        for i in range(3):
            h = tf.nn.relu(tf.matmul(h, tf.Variable(tf.ones([width, width]) / width)))
            layers.append(h)
        session = tf.Session()
        session.run(tf.global_variables_initializer())
    return session, layers


def before(session, layers):
    values = []
    for layer in layers:
        values.append(session.run(layer))
    return values


def after(session, layers):
    return session.run(layers)

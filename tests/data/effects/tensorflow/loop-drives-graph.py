"""100 runs of a graph from Python, against `tf.while_loop` in one run."""
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
CASES = {"64 × 64": (64,), "512 × 512": (512,)}


def setup(n):
    graph = tf.Graph()
    with graph.as_default():
        v = tf.Variable(tf.zeros([n, n]))
        step = tf.assign(v, tf.matmul(v, v) * 0.01 + 1.0).op
        done = tf.while_loop(lambda i, v: i < 100, lambda i, v: (i + 1, tf.matmul(v, v) * 0.01 + 1.0), [tf.constant(0), tf.zeros([n, n])])[1][0, 0]
        session = tf.Session()
        session.run(tf.global_variables_initializer())
    return session, step, done


def before(session, step, done):
    for i in range(100):
        session.run(step)


def after(session, step, done):
    session.run(done)

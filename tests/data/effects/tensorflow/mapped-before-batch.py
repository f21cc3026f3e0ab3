"""`map(f).batch(100)` against `batch(100).map(f)`."""
import tensorflow as tf

CASES = {"10,000 rows of 8": (10000, 8), "500 rows of 10,000": (500, 10000)}


def setup(rows, columns):
    return tf.data.Dataset.from_tensor_slices(tf.ones([rows, columns]))


def before(data):
    total = 0.0
    for batch in data.map(lambda x: x * 2 + 1).batch(100):
        total += float(batch[0, 0])
    return total


def after(data):
    total = 0.0
    for batch in data.batch(100).map(lambda x: x * 2 + 1):
        total += float(batch[0, 0])
    return total

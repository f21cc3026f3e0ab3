"""`map` of a function that decodes files, on one thread and with `num_parallel_calls`."""
import os
import tempfile

import numpy as np
import tensorflow as tf

CASES = {"64 PNG files of 256 × 256, two processors": (64, 256)}
MEASURE = "wall time"


def load(path):
    return tf.image.convert_image_dtype(tf.io.decode_png(tf.io.read_file(path)), tf.float32)


def setup(files, size):
    folder = tempfile.mkdtemp()
    for i in range(files):
        data = tf.io.encode_png(np.random.randint(0, 255, (size, size, 3)).astype(np.uint8))
        tf.io.write_file(os.path.join(folder, f"{i}.png"), data)
    return tf.data.Dataset.list_files(os.path.join(folder, "*.png"), shuffle=False)


def epoch(data):
    for batch in data.batch(8).prefetch(2):
        pass


def threads(data):
    options = tf.data.Options()
    options.threading.private_threadpool_size = 2
    return data.with_options(options)


def before(data):
    epoch(threads(data).map(load))


def after(data):
    epoch(threads(data).map(load, num_parallel_calls=tf.data.AUTOTUNE))

"""A pipeline with a step that takes as long, without and with `prefetch`."""
import os
import tempfile
import time

import numpy as np
import tensorflow as tf

CASES = {"64 PNG files of 256 × 256, batches of 8": (64, 256)}
MEASURE = "wall time"


def load(path):
    return tf.image.convert_image_dtype(tf.io.decode_png(tf.io.read_file(path)), tf.float32)


def setup(files, size):
    folder = tempfile.mkdtemp()
    for i in range(files):
        data = tf.io.encode_png(np.random.randint(0, 255, (size, size, 3)).astype(np.uint8))
        tf.io.write_file(os.path.join(folder, f"{i}.png"), data)
    return tf.data.Dataset.list_files(os.path.join(folder, "*.png"), shuffle=False).map(load, num_parallel_calls=1)


def epoch(data):
    for batch in data:
        # The accelerator's work: the host waits.
        time.sleep(0.01)


def before(data):
    epoch(data.batch(8))


def after(data):
    epoch(data.batch(8).prefetch(tf.data.AUTOTUNE))

# The digits of the tutorials: images of 784 numbers, labels as numbers or with one number for each class.
from harp_library import array
import numpy as np


class DataSet:
    def __init__(self, count, one_hot=False, reshape=True):
        self.num_examples = count
        self.epochs_completed = 0
        self._shape, self._one_hot = (784,) if reshape else (28, 28, 1), one_hot

    def _images(self, count):
        return array((count,) + self._shape, np.float32)

    def _labels(self, count):
        return array((count, 10), np.float64) if self._one_hot else array((count,), np.uint8)

    @property
    def images(self):
        return self._images(self.num_examples)

    @property
    def labels(self):
        return self._labels(self.num_examples)

    def next_batch(self, batch_size, fake_data=False, shuffle=True):
        return self._images(batch_size), self._labels(batch_size)


class _Datasets:
    def __init__(self, one_hot, reshape, validation_size):
        self.train = DataSet(60000 - validation_size, one_hot, reshape)
        self.validation = DataSet(validation_size, one_hot, reshape)
        self.test = DataSet(10000, one_hot, reshape)


def read_data_sets(train_dir, fake_data=False, one_hot=False, dtype=None, reshape=True, validation_size=5000, seed=None, source_url=None):
    return _Datasets(one_hot, reshape, validation_size)


def load_mnist(train_dir="MNIST-data"):
    return read_data_sets(train_dir)

# Texts of one length, and windows of a series.
import numpy as np
from harp_library import array, free_size, outside
from keras.utils._utils import pad_sequences


class TimeseriesGenerator:
    def __init__(self, data, targets, length, sampling_rate=1, stride=1, start_index=0, end_index=None, shuffle=False, reverse=False,
                 batch_size=128):
        data, targets = np.asarray(data), np.asarray(targets)
        self.length, self.batch_size = length, batch_size
        self._element = (array((free_size("batch", 1), (length + sampling_rate - 1) // sampling_rate) + data.shape[1:], data.dtype),
                         array((free_size("batch", 1),) + targets.shape[1:], targets.dtype))

    def _batch_at(self, index):
        return self._element

    def __getitem__(self, index):
        return self._element

    def __len__(self):
        return free_size("batches", 1)


def skipgrams(sequence, vocabulary_size, *arguments, **options):
    return outside("pairs of words"), outside("labels of pairs")


def make_sampling_table(size, sampling_factor=1e-5):
    return array((size,), np.float64)

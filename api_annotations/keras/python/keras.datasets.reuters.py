# Pieces of news, as lists of numbers of words.
import numpy as np
from harp_library import array, outside


def load_data(*arguments, **options):
    return (array((8982,), object), array((8982,), np.int64)), (array((2246,), object), array((2246,), np.int64))


def get_word_index(*arguments, **options):
    return outside("numbers of words")

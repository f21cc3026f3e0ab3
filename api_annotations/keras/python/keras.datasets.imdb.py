# Reviews of films, as lists of numbers of words.
import numpy as np
from harp_library import array, outside


def load_data(*arguments, **options):
    return (array((25000,), object), array((25000,), np.int64)), (array((25000,), object), array((25000,), np.int64))


def get_word_index(*arguments, **options):
    return outside("numbers of words")

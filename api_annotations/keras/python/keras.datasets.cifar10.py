# The pictures and labels of cifar10.
import numpy as np
from harp_library import array


def load_data(*arguments, **options):
    train = array((50000, 32, 32, 3), np.uint8), array((50000, 1), np.uint8)
    return train, (array((10000, 32, 32, 3), np.uint8), array((10000, 1), np.uint8))

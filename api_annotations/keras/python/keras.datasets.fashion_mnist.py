# The pictures and labels of fashion_mnist.
import numpy as np
from harp_library import array


def load_data(*arguments, **options):
    train = array((60000, 28, 28), np.uint8), array((60000,), np.uint8)
    return train, (array((10000, 28, 28), np.uint8), array((10000,), np.uint8))

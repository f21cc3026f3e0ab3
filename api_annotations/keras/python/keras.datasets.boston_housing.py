# Prices of houses.
import numpy as np
from harp_library import array


def load_data(*arguments, **options):
    return (array((404, 13), np.float64), array((404,), np.float64)), (array((102, 13), np.float64), array((102,), np.float64))

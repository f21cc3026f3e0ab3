# Values between the pixels.
import numpy as np
from harp_library import require, tensor


def map_coordinates(input, coordinates, order, mode="constant", cval=0.0):
    require(len(coordinates) == np.ndim(input), "there must be coordinates for each axis of the input")
    return tensor(np.shape(coordinates[0]), input.dtype, "jax.Array")

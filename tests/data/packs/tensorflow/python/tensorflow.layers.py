# A module below the package with a source of its own: it has no names of the package.
from tensorflow import TensorShape, Dense
from tensorflow._helpers import _twice


class Wide(Dense):
    def __init__(self, units):
        super().__init__(_twice(units))

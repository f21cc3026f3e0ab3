# Networks of several layers.
from haiku._layers import MLP

# `matplotlib.path`: outlines.
from matplotlib._drawn import Drawn

Path = Drawn

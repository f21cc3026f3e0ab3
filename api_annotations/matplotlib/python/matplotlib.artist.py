# `matplotlib.artist`: whatever is drawn.
from matplotlib._drawn import Drawn

Artist = Drawn

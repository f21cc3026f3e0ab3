# `matplotlib.legend`: legends.
from matplotlib._drawn import Drawn

Legend = Drawn

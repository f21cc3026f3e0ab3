# `matplotlib.axes`: where plots are drawn.
from matplotlib._drawn import Axes

Subplot = Axes

# `matplotlib.markers`: marks of points.
from matplotlib._drawn import Drawn

MarkerStyle = Drawn

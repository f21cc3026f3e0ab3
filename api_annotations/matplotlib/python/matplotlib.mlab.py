# `matplotlib.mlab`: densities.
from matplotlib._drawn import Drawn

GaussianKDE = Drawn

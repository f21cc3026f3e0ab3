# `matplotlib.gridspec`: layouts.
from matplotlib._drawn import Drawn

GridSpec = GridSpecFromSubplotSpec = SubplotSpec = Drawn

# `plotly.offline`.
from plotly._drawn import Drawn

plot = iplot = init_notebook_mode = Drawn

# `matplotlib.lines`: lines.
from matplotlib._drawn import Drawn

Line2D = AxLine = Drawn

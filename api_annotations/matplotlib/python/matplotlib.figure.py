# `matplotlib.figure`: what all axes lie in.
from matplotlib._drawn import Figure


class SubFigure(Figure):
    pass

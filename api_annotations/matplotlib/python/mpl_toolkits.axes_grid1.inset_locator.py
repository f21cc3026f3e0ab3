# `mpl_toolkits.axes_grid1.inset_locator`: axes within axes.
from matplotlib._drawn import Axes as _Axes, Drawn


def inset_axes(*arguments, **options):
    return _Axes()


zoomed_inset_axes = inset_axes
mark_inset = Drawn

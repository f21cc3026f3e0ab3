# `matplotlib.image`: pictures in plots.
from matplotlib._drawn import Drawn

AxesImage = NonUniformImage = BboxImage = thumbnail = Drawn


def imread(fname, format=None):
    from matplotlib import pyplot

    return pyplot.imread(fname, format)


def imsave(fname, arr, **options):
    return None

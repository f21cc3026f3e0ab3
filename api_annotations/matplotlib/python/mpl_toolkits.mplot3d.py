# `mpl_toolkits.mplot3d`: plots of three dimensions.
from matplotlib._drawn import Axes


class Axes3D(Axes):
    pass

# `mpl_toolkits.mplot3d.art3d`: shapes of three dimensions.
from matplotlib._drawn import Drawn

Poly3DCollection = Line3DCollection = Line3D = Patch3D = Path3DCollection = pathpatch_2d_to_3d = Drawn

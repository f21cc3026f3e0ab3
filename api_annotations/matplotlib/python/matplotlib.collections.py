# `matplotlib.collections`: many shapes at once.
from matplotlib._drawn import Drawn

LineCollection = PatchCollection = PolyCollection = PathCollection = CircleCollection = EllipseCollection = QuadMesh = Drawn
RegularPolyCollection = Collection = Drawn
